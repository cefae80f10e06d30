"""Only regular files are read, and never more than the limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lean_extract.common.files.reading import read_regular, read_regular_text


def test_a_regular_file_is_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_bytes("theorem α : True\n".encode())
    (tmp_path / "B.lean").symlink_to("A.lean")
    assert read_regular_text(tmp_path / "B.lean", 100) == "theorem α : True\n"


def test_the_limit_itself_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 2048)
    assert len(read_regular(tmp_path / "a", 2048)) == 2048
    with pytest.raises(OSError, match="larger than 2 KiB"):
        read_regular(tmp_path / "a", 2047)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_fifo_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "A.lean")
    with pytest.raises(OSError, match="not a regular file"):
        read_regular(tmp_path / "A.lean", 100)


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/tty", "/"])
def test_devices_and_folders_are_refused(target: str, tmp_path: Path) -> None:
    (tmp_path / "A.lean").symlink_to(target)
    with pytest.raises(OSError):
        read_regular(tmp_path / "A.lean", 100)


def test_what_is_missing_or_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", 100)
    (tmp_path / "a").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        read_regular_text(tmp_path / "a", 100)
