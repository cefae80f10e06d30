"""A stand-in for Lake: `serve`, `setup-file`, `build`, `update`, `env` and `--version`, after Lake's sources.

The Lean beside it is the real one of PyPI, whatever version the toolchain is said to have; its server calls this
program for each file that it opens. Known of a lakefile are names, `srcDir`, `roots`, options, `allowImportAll` and
`require`; in `lakefile.lean` only `package`, `lean_lib` and options written as ``⟨`name, value⟩``. A Git package is
"cloned" by copying the folder that its `url` names.

Run as `python program.py VERSION TOOLCHAIN ARGUMENTS...`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lean_extract.toolchains.compile import header_imports

NO_CONFIG, OUT_OF_DATE = 2, 3
INVALID = "LAKE_INVALID_CONFIG"


@dataclass(frozen=True)
class Behaviour:
    """What differs between the versions of Lake; from the sources and the release notes."""

    external_options: bool = True
    """Whether a file that is no module gets the options of the root package, instead of none."""
    has_setup: bool = True
    """Whether the answer is a `ModuleSetup`, instead of paths and options."""
    server_options: bool = False
    """Whether a module gets `moreServerOptions` too."""
    library: str = ".lake/build/lib/lean"
    manifest: str | int = "1.1.0"
    invalid: str = (
        "Failed to configure the Lake workspace. Please restart the server after fixing the error above."
    )


BEHAVIOURS = {
    (4, 9): Behaviour(
        False, False, True, ".lake/build/lib", 7,
        "Invalid Lake configuration.  Please restart the server after fixing the Lake configuration file.",
    ),
    (4, 18): Behaviour(False, False, True),
    (4, 22): Behaviour(server_options=True),
    (4, 23): Behaviour(),
    (4, 27): Behaviour(),
    (4, 35): Behaviour(),
}  # fmt: skip


class Failed(Exception):
    """What Lake logs as an error."""


class OutOfDate(Exception):
    """Something has to be built, and must not be."""


@dataclass(frozen=True)
class Library:
    """A `lean_lib` or `lean_exe`: the modules below its roots."""

    folder: Path
    roots: tuple[str, ...]
    options: dict[str, Any]
    server_options: dict[str, Any]
    allows_import_all: bool

    def owns(self, module: str) -> bool:
        return any(module == root or module.startswith(f"{root}.") for root in self.roots)


@dataclass(frozen=True)
class Package:
    """A package with its configuration."""

    name: str
    root: Path
    config: dict[str, Any]
    libraries: tuple[Library, ...]


@dataclass(frozen=True)
class Module:
    """A module of the workspace."""

    name: str
    package: Package
    library: Library

    @property
    def source(self) -> Path:
        return self.library.folder.joinpath(*self.name.split(".")).with_suffix(".lean")


@dataclass
class Workspace:
    """The packages that are loaded, the root package first."""

    root: Path
    behaviour: Behaviour
    packages: list[Package] = field(default_factory=list)

    def module(self, name: str) -> Module | None:
        """The module of this name; its file need not exist."""
        owners = (Module(name, one, lib) for one in self.packages for lib in one.libraries if lib.owns(name))
        return next(owners, None)

    def module_at(self, path: Path) -> Module | None:
        """The module whose source this is, if the file exists."""
        real = path.resolve()
        if not real.exists():
            return None
        for package in self.packages:
            for library in package.libraries:
                if real.is_relative_to(library.folder):
                    name = ".".join(real.relative_to(library.folder).with_suffix("").parts)
                    if library.owns(name):
                        return Module(name, package, library)
        return None

    def olean(self, module: Module) -> Path:
        parts = module.name.split(".")
        return module.package.root.joinpath(self.behaviour.library, *parts).with_suffix(".olean")

    def search_path(self) -> str:
        return os.pathsep.join(str(one.root / self.behaviour.library) for one in self.packages)

    def options(self, module: Module | None) -> dict[str, Any]:
        """The options of a module's server, or those of a file outside of the workspace."""
        package = self.packages[0] if module is None else module.package
        found = flat(package.config.get("leanOptions", {}))
        more = flat(package.config.get("moreServerOptions", {}))
        if module is None:
            return found | more if self.behaviour.external_options else {}
        more |= module.library.server_options
        return found | module.library.options | (more if self.behaviour.server_options else {})


def load(root: Path, behaviour: Behaviour) -> Workspace:
    """Load a workspace as Lake does: what the manifest lists is cloned and checked out. Raises Failed."""
    workspace = Workspace(root, behaviour)
    first = read_package(root)
    path = root / "lake-manifest.json"
    manifest = json.loads(path.read_text()) if path.exists() else update(first, behaviour)
    check_version(path, manifest["version"])
    entries = {entry["name"]: entry for entry in manifest["packages"]}
    workspace.packages.append(first)
    for package in workspace.packages:
        for needed in package.config.get("require", ()):
            if any(one.name == needed["name"] for one in workspace.packages):
                continue
            if needed["name"] not in entries:
                name = needed["name"]
                raise Failed(f"dependency '{name}' not in manifest; use `lake update {name}` to add it")
            folder = materialize(root, entries[needed["name"]])
            workspace.packages.append(read_package(folder, needed["name"]))
    return workspace


def check_version(path: Path, version: str | int) -> None:
    numbers = (0, version) if isinstance(version, int) else tuple(map(int, version.split(".")))
    if numbers[0] > 1:
        raise Failed(
            f"{path}: schema version '{version}' is of a higher major version than this Lake's '1.1.0'; "
            "you may need to update your 'lean-toolchain'"
        )
    if numbers < (0, 5):
        raise Failed(f"{path}: incompatible manifest version '0.{version}.0'")


def update(package: Package, behaviour: Behaviour) -> dict[str, Any]:
    """Write the manifest from what the lakefile requires, and fetch that."""
    log("info", f"{package.name}: no previous manifest, creating one from scratch")
    entries = []
    for needed in package.config.get("require", ()):
        kind = "path" if "path" in needed else "git"
        place = {"dir": needed["path"]} if kind == "path" else {"url": needed["git"], "rev": needed["rev"]}
        entries.append({"name": needed["name"], "type": kind, "inherited": False, **place})
        materialize(package.root, entries[-1])
    found = {"version": behaviour.manifest, "packagesDir": ".lake/packages", "packages": entries}
    (package.root / "lake-manifest.json").write_text(json.dumps({**found, "name": package.name}))
    return found


def materialize(root: Path, entry: dict[str, Any]) -> Path:
    """The folder of a package, brought to the manifest's revision."""
    if entry["type"] == "path":
        return root / str(entry["dir"])
    name, folder = entry["name"], root / ".lake" / "packages" / str(entry["name"])
    if not folder.exists():
        log("info", f"{name}: cloning {entry['url']}")
        if not Path(entry["url"]).is_dir():
            raise Failed("external command 'git' exited with code 128")
        shutil.copytree(entry["url"], folder)
    head = folder / ".git" / "HEAD"
    if not head.exists() or head.read_text().strip() != entry["rev"]:
        log("info", f"{name}: checking out revision '{entry['rev']}'")
        head.parent.mkdir(exist_ok=True)
        head.write_text(f"{entry['rev']}\n")
    return folder


def read_package(root: Path, name: str = "[root]") -> Package:
    """The package of a folder. Raises Failed: there is no lakefile, or it does not parse."""
    if not root.is_dir():
        raise Failed(f"{name}: package directory not found: {root}")
    if (root / "lakefile.lean").exists():
        config = read_lean(root / "lakefile.lean")
    elif (root / "lakefile.toml").exists():
        try:
            config = tomllib.loads((root / "lakefile.toml").read_text())
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).rstrip(")").partition(" (at ")
            line, column = re.findall(r"\d+", place) or (1, 0)
            raise Failed(f"lakefile.toml:{line}:{column}: {message}") from error
    else:
        raise Failed(f"{name}: no configuration file with a supported extension")
    folder = root / config.get("srcDir", ".")
    kinds = [*config.get("lean_lib", ()), *config.get("lean_exe", ())]
    libraries = tuple(
        Library(
            (folder / one.get("srcDir", ".")).resolve(),
            tuple(one.get("roots", [one.get("root", one["name"])])),
            flat(one.get("leanOptions", {})),
            flat(one.get("moreServerOptions", {})),
            one.get("allowImportAll", config.get("allowImportAll", False)),
        )
        for one in kinds
    )
    return Package(config.get("name", root.name), root, config, libraries)


def read_lean(path: Path) -> dict[str, Any]:
    """What is known of a `lakefile.lean`, in the form of a `lakefile.toml`."""
    config: dict[str, Any] = {"lean_lib": []}
    current = config
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"[^\s@#]", line) and not re.match(
            r"(import|open|package|lean_lib|lean_exe|require|--)\b", line
        ):
            raise Failed(
                f"lakefile.lean:{number}:0: unexpected identifier; expected command\n"
                "error: lakefile.lean: package configuration has errors"
            )
        if named := re.match(r"(package|lean_lib) «?([\w.-]+)", line):
            if named[1] == "lean_lib":
                config["lean_lib"].append(current := {})
            current["name"] = named[2]
        for option, value in re.findall(r"⟨`([\w.]+), ([^⟩]+)⟩", line):
            current.setdefault("leanOptions", {})[option] = json.loads(value)
    return config


def flat(options: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Options by their dotted names."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        found |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return found


class Build:
    """One run over the modules of a workspace, with or without building what has changed."""

    def __init__(self, workspace: Workspace, lean: Path, may_build: bool) -> None:
        self._workspace, self._lean, self._may_build = workspace, lean, may_build
        self._hashes: dict[str, str] = {}
        self._chain: list[str] = []

    def imports(self, importer: str, imports: list[dict[str, Any]], package: str, name: str) -> list[Module]:
        """The imported modules of the workspace, built. Raises Failed, OutOfDate."""
        found = []
        for one in imports:
            if one["module"] == name:
                raise Failed(f"{importer}: module imports itself")
            module = self._workspace.module(one["module"])
            if module is None:
                continue
            allows = module.library.allows_import_all or module.package.name == package
            if one.get("importAll") and not allows:
                raise Failed(
                    f"{importer}: cannot `import all` the module `{module.name}` from the package"
                    f" `{module.package.name}`"
                )
            if not module.source.exists():
                raise Failed(
                    f"no such file or directory (error code: 2)\n  file: {module.source}\n"
                    f"error: {importer}: bad import '{module.name}'"
                )
            self.hash(module)
            found.append(module)
        return found

    def hash(self, module: Module) -> str:
        """What a module is built from; it is built if that has changed. Raises Failed, OutOfDate."""
        if module.name in self._hashes:
            return self._hashes[module.name]
        if module.name in self._chain:
            cycle = [*self._chain[self._chain.index(module.name) :], module.name]
            raise Failed("build cycle detected:\n" + "\n".join(f"  +{name}:deps" for name in cycle))
        self._chain.append(module.name)
        text = module.source.read_bytes()
        names = [{"module": name} for name in header_imports(text.decode(errors="replace"))]
        below = self.imports(f"{module.name}.lean", names, module.package.name, module.name)
        self._chain.pop()
        digest = hashlib.sha256(text + "".join(self.hash(one) for one in below).encode()).hexdigest()
        olean = self._workspace.olean(module)
        trace = olean.with_suffix(".trace")
        if not (olean.exists() and trace.exists() and json.loads(trace.read_text())["depHash"] == digest):
            if not self._may_build:
                raise OutOfDate
            self._compile(module, olean)
            trace.write_text(json.dumps({"depHash": digest}))
        self._hashes[module.name] = digest
        return digest

    def artifacts(self) -> dict[str, list[list[str]]]:
        """The `.olean` files and the `.ir` files of each module that was asked for, as Lean 4.35 takes them."""
        modules = filter(None, map(self._workspace.module, self._hashes))
        return {module.name: [[str(self._workspace.olean(module))], []] for module in modules}

    def _compile(self, module: Module, olean: Path) -> None:
        olean.parent.mkdir(parents=True, exist_ok=True)
        options = self._workspace.options(module).items()
        words = [f"-D{name}={json.dumps(value).strip(chr(34))}" for name, value in options]
        made = ["-o", str(olean), "-i", str(olean.with_suffix(".ilean")), "-R", str(module.library.folder)]
        run = subprocess.run(
            [str(self._lean), *words, *made, str(module.source)],
            env={**os.environ, "LEAN_PATH": self._workspace.search_path()},
            cwd=module.package.root,
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise Failed(run.stdout.strip() + "\nerror: Lean exited with code 1")


def setup_file(root: Path, version: Behaviour, lean: Path, words: list[str]) -> int:
    """`setup-file PATH (IMPORT... | -) [--no-build] [--no-cache]`, which Lean's server runs for each file."""
    path, *rest = [word for word in words if not word.startswith("--")]
    if not any((root / f"lakefile.{suffix}").exists() for suffix in ("lean", "toml")):
        return NO_CONFIG
    if (broken := os.environ.get(INVALID)) is not None:
        print(f"{broken}{version.invalid}", file=sys.stderr)
        return 1
    given = json.loads(sys.stdin.readline()) if rest == ["-"] else None
    imports = given["imports"] if given else [{"module": name} for name in rest]
    try:
        workspace = load(root, version)
    except Failed as error:
        log("error", str(error))
        print("Failed to load the Lake workspace.", file=sys.stderr)
        return 1
    try:
        module = workspace.module_at(Path(path))
        package, name = (module.package.name, module.name) if module else ("", "")
        build = Build(workspace, lean, "--no-build" not in words)
        build.imports(os.path.relpath(path, root) if module else path, imports, package, name)
    except OutOfDate:
        return OUT_OF_DATE
    except Failed as error:
        log("error", str(error))
        print("Failed to build module dependencies.", file=sys.stderr)
        return 1
    options = workspace.options(module)
    if version.has_setup or given:  # the real Lean takes nothing else
        identity = {"name": name or "_unknown", **({"package": package} if module else {})}
        lists: dict[str, Any] = {"importArts": build.artifacts(), "dynlibs": [], "plugins": []}
        print(
            json.dumps(
                {**identity, "isModule": bool(given and given["isModule"]), **lists, "options": options}
            )
        )
    else:
        folders = workspace.search_path().split(os.pathsep)
        sources = [str(lib.folder) for one in workspace.packages for lib in one.libraries]
        paths = {"oleanPath": folders, "srcPath": sources, "loadDynlibPaths": []}
        print(json.dumps({"paths": paths, "setupOptions": options}))
    return 0


def serve(root: Path, version: Behaviour, toolchain: Path, words: list[str]) -> int:
    """Run Lean's server; where the workspace cannot be loaded, with the reason in a variable for `setup-file`."""
    variables = base_variables(toolchain)
    try:
        variables |= workspace_variables(load(root, version))
    except Failed as error:
        log("error", str(error))
        print(
            "warning: package configuration has errors, falling back to plain `lean --server`",
            file=sys.stderr,
        )
        variables[INVALID] = f"error: {error}\n"
    arguments = words[words.index("--") + 1 :] if "--" in words else []
    command = [str(toolchain / "bin" / "lean"), "--server", *arguments]
    return subprocess.run(command, env={**os.environ, **variables}).returncode


def base_variables(toolchain: Path) -> dict[str, str]:
    programs = toolchain / "bin"
    return {
        "LAKE": str(programs / "lake"),
        "LAKE_HOME": str(toolchain),
        "LEAN": str(programs / "lean"),
        "LEAN_SYSROOT": str(toolchain),
    }


def workspace_variables(workspace: Workspace) -> dict[str, str]:
    sources = [str(lib.folder) for one in workspace.packages for lib in one.libraries]
    return {"LEAN_PATH": workspace.search_path(), "LEAN_SRC_PATH": os.pathsep.join(sources)}


def build_all(root: Path, version: Behaviour, lean: Path) -> int:
    try:
        workspace = load(root, version)
        build = Build(workspace, lean, may_build=True)
        for module in root_modules(workspace):
            build.hash(module)
    except Failed as error:
        log("error", str(error))
        log("error", "build failed")
        return 1
    return 0


def root_modules(workspace: Workspace) -> Iterator[Module]:
    """The modules of the root package that have a file."""
    for library in workspace.packages[0].libraries:
        for path in sorted(library.folder.rglob("*.lean")):
            module = workspace.module_at(path)
            if module is not None and ".lake" not in path.relative_to(library.folder).parts:
                yield module


def log(level: str, message: str) -> None:
    print(f"{level}: {message}", file=sys.stderr)


def main() -> int:
    number, folder, command, *words = sys.argv[1:]
    toolchain, root = Path(folder), Path.cwd()
    lean = toolchain / "bin" / "lean"
    major, minor = map(int, number.split(".")[:2])
    version = BEHAVIOURS[max(known for known in BEHAVIOURS if known <= (major, minor))]
    match command:
        case "--version":
            print(f"Lake version 5.0.0-src (Lean version {number})")
        case "serve":
            return serve(root, version, toolchain, words)
        case "setup-file":
            return setup_file(root, version, lean, words)
        case "build":
            return build_all(root, version, lean)
        case "update":
            update(read_package(root), version)
        case "env":
            variables = base_variables(toolchain) | workspace_variables(load(root, version))
            return subprocess.run(words, env={**os.environ, **variables}).returncode
        case _:
            log("error", f"unknown command '{command}'")
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
