"""The methods of others, one file each, by the name that `--methods` takes."""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.common.errors import ModelError
from lean_extract.common.terminal_text import pip_install
from retriever.lean.evaluation.baselines import keyword, knn, mepo, tfidf
from retriever.lean.evaluation.rankers import Factory, Method
from retriever.lean.evaluation.session import EvaluationSession


def _sentence(session: EvaluationSession) -> Method:
    """Imports torch only where it is asked for. Raises ModelError where there is none."""
    try:
        from retriever.lean.evaluation.baselines import sentence as general
    except ModuleNotFoundError as error:
        hint = f"Install it: {pip_install('train')}"
        raise ModelError("The baseline `sentence` runs on torch, which is not here.", hint) from error
    return general.sentence(session)


BASELINES: Mapping[str, Factory] = {
    "tfidf": tfidf.over_tokens,
    "tfidf-words": tfidf.over_words,
    "keyword": keyword.keyword,
    "mepo": mepo.with_rarity,
    "mepo-plain": mepo.without_rarity,
    "sentence": _sentence,
    "knn-bm25": knn.by_bm25,
    "knn": knn.by_encoder,
}
