"""Opens tokenizers, of the library `tokenizers`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lean_extract.common.files.reading import read_regular_text
from lean_extract.limits import MAX_TOKENIZER_BYTES


def open_tokenizer(path: Path) -> Any:
    """The tokenizer of a file, neither cutting nor padding. Raises OSError, and ValueError that names the file."""
    import tokenizers

    text = read_regular_text(path, MAX_TOKENIZER_BYTES)
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # tokenizers raises Exception itself for a damaged file
        raise ValueError(f"{path.name}: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
