"""No password of an address is printed or written down, however the address is spelled."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import without_login
from lsp_server import cli
from lsp_server.engine.libraries import GitAddress, read_git_address
from retriever.search.postgres.address import read_address
from tests.environments import own_indexes
from tests.git_over_http import repositories
from tests.lsp_server.conftest import Cli, succeed

SECRET = "hunter2"
ODD = st.text(st.sampled_from("aZ09 @:/?#%&=;,'\"\\[]{}()+~é"), max_size=3)
PASSWORDS = st.builds(lambda before, after: f"{before}{SECRET}{after}", ODD, ODD)
ENCODED = PASSWORDS.map(lambda password: quote(password, safe=""))
SCHEMES = st.sampled_from(
    ("postgresql", "postgres", "mysql", "https", "http", "ssh", "git", "ftp", "file", "ext")
)
BEGINNINGS = st.one_of(
    st.builds("{}{}".format, SCHEMES, st.sampled_from(("://", ":/", ":", ":///", "::"))),
    st.sampled_from(("", "//", "git@")),
)
HOSTS = st.sampled_from(("db.example.org", "db.example.org:5432", "127.0.0.1:1", "[::1]", ""))
PATHS = st.sampled_from(
    ("", "/x", "/x?sslmode=require", "/o/n.git@v1", ":o/n@v1", "/o/n@feature/x", "/o/n?a=b#c")
)
PLACES = st.builds("{}{}".format, HOSTS, PATHS)
SPELLINGS = st.one_of(
    st.builds("{}me:{}@{}".format, BEGINNINGS, PASSWORDS | ENCODED, PLACES),
    st.builds("{}:{}@{}".format, BEGINNINGS, PASSWORDS | ENCODED, PLACES),
    st.builds("{}{}@{}".format, BEGINNINGS, PASSWORDS | ENCODED, PLACES),
    st.builds("{}me{}{}{}{}".format, BEGINNINGS, st.sampled_from(":/?;,@#"), ENCODED, st.just("@"), PLACES),
    st.builds("{}me:{}{}{}".format, BEGINNINGS, ENCODED, st.sampled_from("/?;,#:"), PLACES),
    st.builds("{}{}?user=me&password={}".format, BEGINNINGS, PLACES, PASSWORDS | ENCODED),
    st.builds("{}{}?sslmode=require;password={}".format, BEGINNINGS, PLACES, ENCODED),
    st.builds("host=h user=me password={} dbname=x".format, PASSWORDS),
)
COMMANDS = st.sampled_from(
    (
        ("index", "--store", "{}", "/nonexistent"),
        ("index", "--store={}", "/nonexistent"),
        ("index", "--stoer", "{}"),
        ("index", "--st={}"),
        ("index", "--quiet={}"),
        ("index", "--processes", "1", "--scheduler", "{}", "/nonexistent"),
        ("index", "{}@x"),
        ("setup", "--git", "{}"),
        ("setup", "--git={}@v1"),
        ("setup", "{}@x"),
        ("suggest", "--file", "{}@x/A.lean", "--line", "1"),
        ("suggest", "{}@x/A.lean:1"),
        ("suggest", "{}@x"),
        ("suggest", "--tactics-from", "{}@x"),
    )
)
"""Where an address is given: in its place, and by mistake."""


def told(arguments: list[str]) -> str:
    """All that a command prints."""
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output), suppress(SystemExit):
        cli.main(arguments)
    return output.getvalue()


@settings(max_examples=500)
@given(SPELLINGS, COMMANDS)
def test_no_spelling_of_an_address_is_told_with_its_password(text: str, command: tuple[str, ...]) -> None:
    printed = told([word.format(text) for word in command])
    assert printed
    assert SECRET not in printed


@given(ENCODED, st.sampled_from(("password", "user", "sslmode", "options", "sslpassword")))
def test_what_the_driver_says_of_a_part_of_the_address_counts_as_secret(encoded: str, name: str) -> None:
    address = read_address(f"postgresql://db.example.org/x?{name}={encoded}")
    assert address.shown == "db.example.org/x"
    assert address.parameters[name] not in repr(address)
    assert address.is_told_by(f'FATAL: there is something wrong with "{address.parameters[name]}"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://me:a%40b@h:1/d", {"user": "me", "password": "a@b", "host": "h", "port": "1", "dbname": "d"}),
        ("postgres://h1:1,h2/d", {"host": "h1,h2", "port": "1,", "dbname": "d"}),
        ("postgresql:///d?host=/run/pg", {"host": "/run/pg", "dbname": "d"}),
        ("postgresql://[::1]:5432", {"host": "::1", "port": "5432"}),
        ("postgresql://%2Frun%2Fpg/d", {"host": "/run/pg", "dbname": "d"}),
    ],
)  # fmt: skip
def test_the_parts_of_an_address_are_what_libpq_calls_them(text: str, expected: dict[str, str]) -> None:
    assert dict(read_address(text).parameters) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for read in (read_address, read_git_address):
        for given_text in (text, f"postgresql://{text}", f"https://{text}"):
            with suppress(UserError):
                read(given_text)
    assert len(without_login(text)) <= len(text) + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.org/b/c", ("https://a.org/b/c", "a.org/b/c", "HEAD")),
        ("https://a.org/b/c@v1.0", ("https://a.org/b/c", "a.org/b/c", "v1.0")),
        ("https://a.org:8443/b/c@feature/x", ("https://a.org:8443/b/c", "a.org/b/c", "feature/x")),
        ("https://me:hunter2@a.org/b", ("https://a.org/b", "a.org/b", "HEAD")),
        ("https://me:hunter2@a.org/b@v1", ("https://a.org/b", "a.org/b", "v1")),
        ("https://me@a.org/b", ("https://a.org/b", "a.org/b", "HEAD")),
        ("ssh://git@a.org/b@v1", ("ssh://git@a.org/b", "a.org/b", "v1")),
        ("git@a.org:b/c.git", ("git@a.org:b/c.git", "a.org:b/c.git", "HEAD")),
        ("git@a.org:b/c.git@v1", ("git@a.org:b/c.git", "a.org:b/c.git", "v1")),
    ],
)
def test_an_address_of_a_repository_and_its_revision(text: str, expected: tuple[str, str, str]) -> None:
    found = read_git_address(text)
    assert (found.url, found.shown, found.revision) == expected
    assert SECRET not in repr(found)


def test_a_folder_may_have_an_at_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "me@work"
    folder.mkdir()
    assert read_git_address(f"file://{folder}") == GitAddress(str(folder), str(folder))
    assert read_git_address(f"{folder}@v1").revision == "v1"


@pytest.mark.parametrize(
    "text",
    ["", "@", "a@", "-x", "a\nb", "ext::sh -c x", "https://a%0Ab@c.org/d", "https://a.org", "a" * 5000],
)
def test_what_is_no_address_of_a_repository(text: str) -> None:
    with pytest.raises(UserError, match="is not the address"):
        read_git_address(text)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """A server with the repository `far.git`, which asks for a password."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "lakefile.toml").write_text('name = "far"\n', encoding="utf-8")
    (work / "Far.lean").write_text("theorem far : True := trivial\n", encoding="utf-8")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"], ["tag", "v1"]):
        subprocess.run(["git", "-C", work, *identity, *words], check=True, capture_output=True)
    bare = tmp_path / "served" / "far.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", work, bare], check=True, capture_output=True)
    with repositories(bare.parent, "me", f"{SECRET}@/") as address:
        yield address


def kept(folder: Path) -> bytes:
    """All that is in the files of a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_password_gets_us_in_and_is_not_kept(cli: Cli, served: str, tmp_path: Path) -> None:
    index = own_indexes(tmp_path / "index")
    text = f"http://me:{SECRET}%40%2F@{served}/far.git@v1"
    done = succeed(cli, "setup", "--git", text, "--yes", "--quiet", PREMISE_SUGGEST_INDEX=str(index))
    assert "library   127.0.0.1/far.git at v1" in done.stdout
    assert SECRET not in done.stdout + done.stderr
    assert b"127.0.0.1/far.git" in kept(index)
    assert SECRET.encode() not in kept(index)


def test_a_wrong_password_is_not_told(cli: Cli, served: str, tmp_path: Path) -> None:
    text = f"http://me:not-{SECRET}@{served}/far.git"
    trace = {"GIT_TRACE": "1", "GIT_CURL_VERBOSE": "1"}
    done = cli("setup", "--git", text, "--yes", PREMISE_SUGGEST_INDEX=str(tmp_path / "index"), **trace)
    assert done.returncode == 2
    assert "git could not fetch 127.0.0.1/far.git at HEAD: " in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_what_an_older_version_wrote_down_goes(cli: Cli, served: str, tmp_path: Path) -> None:
    index = own_indexes(tmp_path / "index")
    manifest = index / "libraries" / "lake-manifest.json"
    manifest.parent.mkdir()
    entry = f'{{"name": "old", "url": "https://me:{SECRET}@a.org/old", "rev": "abc"}}'
    manifest.write_text(f'{{"packages": [{entry}]}}', encoding="utf-8")
    text = f"http://me:{SECRET}%40%2F@{served}/far.git"
    succeed(cli, "setup", "--git", text, "--yes", PREMISE_SUGGEST_INDEX=str(index))
    assert SECRET.encode() not in manifest.read_bytes()
    assert b"a.org/old" in manifest.read_bytes()
