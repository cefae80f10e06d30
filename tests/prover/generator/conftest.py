from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_extract.records import Premise
from prover.generator.model import Generator

FIXTURE = Path(__file__).parent / "fixture"
PREMISES = (
    Premise("Nat.add_comm", "theorem", "Init", ("(n m : ℕ)",), "n + m = m + n"),
    Premise("And.intro", "theorem", "Init", ("{a b : Prop}", "(ha : a)", "(hb : b)"), "a ∧ b"),
)
"""Those that the fixture learned with (scripts/make_test_models.py)."""


@pytest.fixture(scope="session")
def generator() -> Generator:
    """A tiny one that knows a few goals by heart."""
    return Generator.load(FIXTURE, threads=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of its folder, to spoil."""
    return Path(shutil.copytree(FIXTURE, tmp_path / "generator"))


@pytest.fixture(scope="session")
def make_t5() -> Callable[..., Any]:
    """T5ForConditionalGeneration of any shape, small and random, by seed. Tests that use it need torch."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    def make(seed: int = 0, *, tied: bool = True, **changes: Any) -> Any:
        torch.manual_seed(seed)
        shape = {
            "d_model": 24,
            "d_kv": 8,
            "d_ff": 40,
            "num_layers": 3,
            "num_decoder_layers": 2,
            "num_heads": 3,
        }
        config = transformers.T5Config(
            **{"vocab_size": 384, **shape, **changes}, decoder_start_token_id=0, tie_word_embeddings=tied
        )
        model = transformers.T5ForConditionalGeneration(config).eval()
        if not tied:  # ByT5's case: a head of its own
            model.lm_head.weight = torch.nn.Parameter(torch.randn(config.vocab_size, config.d_model) * 0.5)
        return model

    return make
