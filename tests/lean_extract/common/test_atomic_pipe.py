from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from lean_extract.common.files.atomic import replacing


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    with replacing(pipe) as stream:
        stream.write("through")
    reader.join(20)
    assert read == ["through"]
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
