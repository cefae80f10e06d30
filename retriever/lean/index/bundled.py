"""The Mathlib index that is shipped: packed into the package's data, unpacked into a cache at first use.

Packed, it is a file for each part (`retriever.lean.index.bundle_parts`), and `bundled.json`: the hashes of the parts
and of what they unpack to, the encoder's fingerprint and the library's revision.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.errors import (
    IndexDamaged,
    IndexMissing,
    IndexUnreadable,
    ModelError,
)
from lean_extract.common.files.atomic import replacing, replacing_bytes
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed, read_value
from retriever.lean.index import bundle_parts
from retriever.lean.index.bundle_parts import PARTS
from retriever.search.index.files import (
    damaged,
    explained_writes,
    make_folder,
    sync_folder,
    unreadable,
)
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.meta import (
    VERSION,
    Count,
    Digest,
    GoOn,
    Meta,
    PlainName,
    Text,
    always,
    read_checked,
)
from retriever.search.index.postings import DocPostings, build_postings
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, write_segment
from retriever.search.index.store import OTHER_MODEL, IndexStore

CARD = "bundled.json"
FORM = 5
"""Of what is shipped, raised whenever another version could not read it."""
_OFTEN = 4
"""Uses in training proofs from which the words of a statement are shipped: those of the others would find little more,
and take more room than the budget has."""
REINSTALL = "Install premise-suggest again."
SEGMENT = "mathlib"
_MAKE = f"{REINSTALL[:-1]}, or build the index with `python scripts/build_bundled.py RECORDS`."
_ROUNDED = frozenset(("vectors.npy", "scales.npy"))
_UNPACKING = ".unpacking-"
_ABANDONED_SECONDS = 3600.0
DATA = Path(__file__).parent.parent.parent / "data" / "mathlib"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is shipped."""

    form: Count
    fingerprint: Text
    revision: Text
    premises: Count
    built_at: Text
    parts: Mapping[PlainName, Digest]
    """The SHA-256 of each part's file."""
    unpacked: Digest
    """Of the sizes and hashes of all files that they unpack to."""
    lean: Text = ""
    """The Lean version that the library asks for, where that is known."""


def read_card(data: Path = DATA) -> Bundle:
    """What the package ships. Raises IndexMissing, IndexDamaged."""
    path = data / CARD
    try:
        values = read_value(dict[str, Any], read_json(path))
        if (form := values.get("form", 1)) != FORM:
            raise IndexDamaged(f"{path} is of form {form}, this version reads form {FORM}.", _MAKE)
        bundle = read_typed(Bundle, {name: values[name] for name in Bundle.__slots__ if name in values})
        if set(bundle.parts) != set(PARTS):
            raise ValueError(f"it lists other parts than {', '.join(PARTS)}")
        return bundle
    except FileNotFoundError as error:
        raise IndexMissing("This installation has no bundled Mathlib index.", REINSTALL) from error
    except OSError as error:
        raise unreadable(error, path, REINSTALL) from error
    except ValueError as error:
        raise damaged(path, error, REINSTALL) from error


def part_path(data: Path, name: str) -> Path:
    """The file of a part."""
    return data / f"{name}.npz.xz"


def read_part(data: Path, name: str, bundle: Bundle) -> bytes:
    """A part as it is shipped. Raises IndexDamaged."""
    path = part_path(data, name)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(error, path, REINSTALL) from error
    if hashlib.sha256(content).hexdigest() != bundle.parts[name]:
        raise IndexDamaged(f"The bundled index {path} was altered or cut off.", REINSTALL)
    return content


def pack(segment: Segment, out: Path, *, revision: str, built_at: str, lean: str = "") -> Bundle:
    """Pack a segment without records into `out`; returns its card. Its vectors are rounded.

    Raises OSError, and ValueError: it has something that is not shipped.
    """
    parts = bundle_parts.pack(segment)
    out.mkdir(parents=True, exist_ok=True)
    found = _sums(out, bundle_parts.unpack(parts), segment.fingerprint)
    lost = [name for name in segment.sums if name not in _ROUNDED and found.get(name) != segment.sums[name]]
    if lost or found.keys() != segment.sums.keys():
        raise ValueError(f"packing would change {', '.join(lost) or 'which files there are'}")
    bundle = Bundle(FORM, segment.fingerprint, revision, len(segment), built_at, {}, "", lean)
    return _written(out, bundle, parts, found)


def replace_docs(
    data: Path, written: Mapping[str, Sequence[str]], stated: Mapping[str, Sequence[str]]
) -> Bundle:
    """Make the part `docs` of a bundle anew, for the premises that it has; returns its card.

    Args:
        data: the bundle's folder.
        written: what is written about a premise, by its name (`doc_words`).
        stated: the words of its statement, by its name: taken where proofs use it often and nothing is written.

    Raises OSError, IndexMissing, IndexDamaged.
    """
    bundle = read_card(data)
    parts = {name: read_part(data, name, bundle) for name in PARTS}
    content = bundle_parts.unpack(parts)
    often = (content.columns["uses"] >= _OFTEN).tolist()
    words = (
        written.get(name) or (stated.get(name) if is_used else None) or ()
        for name, is_used in zip(content.names, often, strict=True)
    )
    docs = DocPostings.of(build_postings(words))
    parts["docs"] = bundle_parts.compressed(bundle_parts.docs_of(docs))
    content = replace(content, tables=replace(content.tables, docs=docs))
    return _written(data, bundle, parts, _sums(data, content, bundle.fingerprint))


def _sums(beside: Path, content: SegmentContent, fingerprint: str) -> Mapping[str, object]:
    """The sizes and hashes of the files that a segment of this content has."""
    with tempfile.TemporaryDirectory(prefix=_UNPACKING, dir=beside) as folder:
        write_segment(Path(folder), content, fingerprint)
        return Meta.read(Path(folder)).sums


def _written(out: Path, bundle: Bundle, parts: Mapping[str, bytes], sums: Mapping[str, object]) -> Bundle:
    """The card of these parts, which are written. `sums`: of the files that they unpack to."""
    for name, content in parts.items():
        with replacing_bytes(part_path(out, name)) as file:
            file.write(content)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
    bundle = replace(bundle, parts=hashes, unpacked=_digest(sums.items()))
    with replacing(out / CARD) as card:
        json.dump({name: getattr(bundle, name) for name in Bundle.__slots__}, card, indent=2)
        card.write("\n")
    return bundle


def _digest(items: Iterable[tuple[str, object]]) -> str:
    return hashlib.sha256(json.dumps(sorted(items)).encode()).hexdigest()


def unpack(cache: Path, data: Path = DATA, tell: Callable[[str], None] = lambda said: None) -> IndexStore:
    """The bundled index as a store, unpacked into `cache` the first time; safe with several processes.

    If the unpacked copy was altered, it is unpacked again; processes that have the old one open keep it.

    Args:
        tell: called with a sentence that says that it is unpacked, and why.

    Raises IndexMissing, IndexDamaged (the shipped files), IndexWriteFailed (the cache).
    """
    bundle = read_card(data)
    store = _store(cache, bundle)
    damage = _damage(store, bundle)
    if damage is None:
        return store
    if damage:
        tell(f"{damage} Unpacking the bundled Mathlib index again ...")
    else:
        tell("Unpacking the bundled Mathlib index (once) ...")
    parts = {name: read_part(data, name, bundle) for name in PARTS}
    with explained_writes(store.root, damage):
        make_folder(cache)
        _sweep(cache)
        before = [*store.root.glob("segments/*")]
        temporary = Path(tempfile.mkdtemp(prefix=_UNPACKING, dir=cache))
        try:
            _extract(parts, temporary, bundle)
            if _damage(store, bundle) is not None:  # else another process was faster
                _publish(temporary, store, bundle)
                for folder in before:  # whoever has it open reads on
                    shutil.rmtree(folder, ignore_errors=True)
        except ValueError as error:
            raise IndexDamaged(f"The bundled index cannot be unpacked: {error}.", REINSTALL) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    if damage := _damage(store, bundle):
        raise IndexDamaged(damage, f"Files written to {cache} do not stay intact: check that disk.")
    return store


def verify_unpacked(cache: Path, bundle: Bundle, go_on: GoOn = always) -> list[str]:
    """Read every byte of the unpacked copy, if there is one; returns what is wrong, in words."""
    store = _store(cache, bundle)
    return store.verify(go_on) if store.stamp() is not None else []


def _store(cache: Path, bundle: Bundle) -> IndexStore:
    return IndexStore(cache / f"mathlib-{VERSION}-{_digest(bundle.parts.items())[:16]}")


def _damage(store: IndexStore, bundle: Bundle) -> str | None:
    """Why the bundle has to be unpacked: an empty text if it never was; None if it need not be.

    Raises IndexDamaged where the system does not let us look.
    """
    try:
        manifest = store.manifest()
        if (manifest.fingerprint, manifest.is_bundled) != (bundle.fingerprint, True) or not manifest.segments:
            return f"{store.manifest_path} is of another index."
        for live in manifest.segments:
            read_checked(store.folder_of(live.name))
    except IndexMissing:
        return ""
    except IndexUnreadable:
        raise
    except IndexDamaged as error:
        return error.message
    return None


def _sweep(cache: Path) -> None:
    """Remove what killed processes left; one at work is never that old."""
    for left in cache.glob(f"{_UNPACKING}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def use_counts(store: IndexStore) -> dict[str, int]:
    """How many training proofs use each name, of those that any uses: for `update_index(uses=...)`.

    Raises IndexMissing, IndexDamaged.
    """
    _, segments = store.open()
    counts: dict[str, int] = {}
    for segment, _ in segments:
        uses = segment.columns["uses"]
        for position in np.flatnonzero(uses).tolist():
            counts[segment.names[position]] = int(uses[position])
    return counts


def proof_rows(store: IndexStore) -> ProofRows:
    """What the proofs of training theorems use: for `update_index(proofs=...)`.

    Raises IndexMissing, IndexDamaged.
    """
    _, segments = store.open()
    return ProofRows.of_columns([segment.tables.proofs for segment, _ in segments])


def _extract(parts: Mapping[str, bytes], folder: Path, bundle: Bundle) -> None:
    """Unpack into an empty folder. Raises OSError; ValueError: it is not what was packed."""
    write_segment(folder, bundle_parts.unpack(parts), bundle.fingerprint)
    if _digest(Meta.read(folder).sums.items()) != bundle.unpacked:
        raise ValueError("its files are not those that were packed")
    sync_folder(folder)


def _publish(unpacked: Path, store: IndexStore, bundle: Bundle) -> None:
    """Make an unpacked folder the store's one segment. Raises OSError."""
    folder = store.folder_of(f"{SEGMENT}-{secrets.token_hex(4)}")
    try:
        make_folder(store.root)
        make_folder(folder.parent)
        os.rename(unpacked, folder)  # noqa: PTH104
        store.publish(
            IndexManifest(
                bundle.fingerprint,
                built_at=bundle.built_at,
                segments=(LiveSegment(folder.name),),
                pinned=True,
                is_bundled=True,
            )
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        for made in (folder.parent, store.root):
            with suppress(OSError):  # where something is in it, it was not made here
                made.rmdir()
        raise


def check_fits(bundle: Bundle, fingerprint: str) -> None:
    """Raises ModelError when the bundled index was made with another model."""
    if bundle.fingerprint != fingerprint:
        raise ModelError(
            f"The bundled Mathlib index was built with model {bundle.fingerprint}, "
            f"the model in use is {fingerprint}.",
            OTHER_MODEL,
        )
