from __future__ import annotations

from tests.retriever.training.conftest import debug_data, little_records

__all__ = ["debug_data", "little_records"]
