"""`python -m prover COMMAND`: train and measure the tactic generator; search proofs"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from lean_extract.common.python_path import leave_current_folder
from lean_extract.common.verbs import Verb, run_verb

VERBS: Mapping[str, Verb] = {
    "pairs": Verb(".training.pairs", "make (state, tactic) pairs from records"),
    "train": Verb(".training.train", "train the generator from a preset"),
    "export": Verb(".training.export", "export a run, or a T5, as an ONNX generator"),
    "retrieve": Verb(".training.retrieved", "store the premises that the retriever finds for steps"),
    "evaluate": Verb(".training.evaluate", "measure an exported generator on held-out steps"),
    "fit-shapes": Verb(".training.fit_shapes", "fit a generator of tactic shapes on a CPU"),
    "evaluate-steps": Verb(".training.evaluate_steps", "measure generators on real steps"),
    "evaluate-neighbours": Verb(
        ".training.evaluate_neighbours", "measure the tactics adapted from the nearest known steps"
    ),
    "fit-turns": Verb(".training.fit_turns", "fit the odds by which the sources take turns"),
    "card": Verb(".training.card", "write the model card of a generator"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the command line names; returns the exit code."""
    return run_verb("prover", VERBS, arguments)


if __name__ == "__main__":
    leave_current_folder()
    sys.exit(main())
