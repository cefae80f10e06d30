"""Writes the tiny generator that tests run: the real format, the real runtime, a T5 that knows a few goals.

    python scripts/make_test_generator.py [FOLDER]

It learns LESSONS by heart in some seconds, in the numbered form, and is exported as any other. Needs the
`train` extra.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from transformers import T5Config, T5ForConditionalGeneration

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.generator.prompt import encode_prompt, encode_tactic
from prover.generator.symbols import PAD, SIZE
from prover.training.export import export_model

FOLDER = Path(__file__).parent.parent / "tests" / "prover" / "generator" / "fixture"
MAX_PROMPT_BYTES = 256
STEPS = 400
PREMISES = (
    Premise("Nat.add_comm", "theorem", "Init", ("(n m : ℕ)",), "n + m = m + n"),
    Premise("And.intro", "theorem", "Init", ("{a b : Prop}", "(ha : a)", "(hb : b)"), "a ∧ b"),
)
LESSONS = (
    ("n m : ℕ\n⊢ n + m = m + n", ("exact Nat.add_comm n m", "rw [Nat.add_comm]", "apply Nat.add_comm")),
    ("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", ("exact ⟨h.2, h.1⟩", "exact And.intro h.2 h.1", "cases h")),
    ("⊢ ∀ (n : ℕ), n = n", ("intro n", "intros", "simp")),
    ("a : ℕ\n⊢ a = a", ("rfl", "exact rfl", "simp")),
    ("p : Prop\n⊢ p → p", ("intro h", "exact id", "simp")),
)
"""Goals, and tactics for each, the likeliest first."""


def make() -> T5ForConditionalGeneration:
    torch.manual_seed(5)
    torch.set_num_threads(1)
    config = T5Config(
        vocab_size=SIZE,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        decoder_start_token_id=PAD,
        dropout_rate=0.0,
        tie_word_embeddings=True,
    )
    return T5ForConditionalGeneration(config)


def learn(model: T5ForConditionalGeneration) -> float:
    prompts, tactics, weights = [], [], []
    for goal, answers in LESSONS:
        for place, tactic in enumerate(answers):
            prompts.append(encode_prompt("numbered", [parse_goal(goal)], PREMISES, MAX_PROMPT_BYTES))
            tactics.append(encode_tactic("numbered", tactic, PREMISES)[0])
            weights.append(1 / (1 + place))
    ids, labels = padded(prompts, PAD), padded(tactics, -100)
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    weight = torch.tensor(weights)[:, None]
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = 5e-3 * (1 - step / STEPS)
        logits = model(input_ids=ids, attention_mask=(ids != PAD).long(), labels=labels).logits
        each = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        loss = (each * weight).sum() / weight.sum()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return float(loss.detach())


def padded(rows: list[list[int]], fill: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="FOLDER")
    folder = parser.parse_args().folder
    model = make()
    print(f"loss {learn(model):.3f}")
    export_model(model, "numbered", folder, max_prompt_bytes=MAX_PROMPT_BYTES, int8=False)
    print(f"{folder}: {sum(file.stat().st_size for file in folder.iterdir()) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
