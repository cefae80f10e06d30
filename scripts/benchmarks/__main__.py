"""`python -m scripts.benchmarks COMMAND`, from the root of a checkout: what measured the figures in docs/."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from lean_extract.common.verbs import Verb, run_verb

VERBS: Mapping[str, Verb] = {
    "product": Verb(".product", "what users wait for; `make bench`"),
    "memory": Verb(".memory", "how much memory the language server holds once it has answered"),
    "retriever": Verb(".retrieval", "opening an index, and goal to premises with its parts"),
    "patterns": Verb(".patterns", "pattern search on an index that has statements"),
    "hnsw": Verb(".hnsw_curve", "HNSW against exact search on real embeddings; `make hnsw`"),
    "quantisation": Verb(".quantisation", "what shipping embeddings in few bits costs"),
    "generator": Verb(".generation", "the ByT5 generator, encoder and decoder apart"),
    "problems": Verb(".problems", "proves the mini core's problems in all conditions; `make bench-problems`"),
    "imports": Verb(".imports", "goals whose import is deleted, closed with an import"),
    "http": Verb(".serving", "requests per second of `premise-suggest http`"),
    "served": Verb(".served", "from a model's server to its first tactic on the screen"),
    "doors": Verb(
        ".doors", "other tools' requests of `premise-suggest http`, and many agents at one `mcp --http`"
    ),
    "next-step": Verb(".next_step", "every figure of the next step, before and after"),
    "cluster": Verb(".cluster", "work in one process and on Dask"),
    "postgres": Verb(".databases", "an index in PostgreSQL compared with the same index on disk"),
    "assignment": Verb(".assignment", "global decoding of a corpus (MATcH)"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the command line names; returns the exit code."""
    return run_verb("scripts.benchmarks", VERBS, arguments)


if __name__ == "__main__":
    sys.exit(main())
