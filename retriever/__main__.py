"""`python -m retriever COMMAND`: build data, train and measure retrievers"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from lean_extract.common.python_path import leave_current_folder
from lean_extract.common.verbs import Verb, run_verb

VERBS: Mapping[str, Verb] = {
    "dataset": Verb(".lean.dataset.dataset", "make a dataset from records"),
    "resplit": Verb(".lean.dataset.resplit", "split a dataset anew"),
    "related-words": Verb(
        ".lean.dataset.related_words", "make the table of related words for searches in words"
    ),
    "case-splits": Verb(".lean.dataset.case_splits", "make the table of theorems that cases are split with"),
    "statistics": Verb(".lean.dataset.statistics", "print the statistics of datasets"),
    "augment": Verb(".lean.augmentation.augment", "make the augmented states of a dataset"),
    "tokenizer": Verb(".training.tokenizer", "train a WordPiece tokenizer"),
    "byte-tokenizer": Verb(".lean.training.byte_tokenizer", "write the tokenizer of the ByT5 encoder"),
    "pretrained": Verb(".training.pretrained", "convert a pre-trained BERT into a run"),
    "train": Verb(".training.running.train", "train a model from a preset"),
    "train-status": Verb(".training.running.status", "show the progress of training runs"),
    "padding": Verb(".training.padding", "measure the padding in the batches of a preset"),
    "train-stop": Verb(".training.running.stop", "stop a training run, which writes its checkpoint"),
    "mine": Verb(".lean.training.mining", "mine hard negatives for a dataset"),
    "mine-collection": Verb(
        ".training.reranking.collection_mining", "mine hard negatives for the collection of a backend"
    ),
    "export": Verb(".training.export", "export a run as an ONNX model folder"),
    "export-towers": Verb(".training.references.export_towers", "export a pairwise run as two encoders"),
    "card": Verb(".lean.evaluation.card", "write the model card of a retriever"),
    "evaluate": Verb(".lean.evaluation.evaluate", "measure rankings on held-out theorems"),
    "fit-fusion": Verb(".lean.evaluation.fit_fusion", "fit the weights of the ranking features"),
    "ranking-examples": Verb(".lean.evaluation.ranking_examples", "make the examples of the learned ranker"),
    "fit-ranker": Verb(".lean.evaluation.fit_ranker", "fit the learned ranker to examples"),
    "fit-words": Verb(".lean.evaluation.fit_words", "fit the ranking of searches in words"),
    "fit-rerank": Verb(".lean.evaluation.fit_rerank", "fit the weight of the re-ranker"),
    "ablation": Verb(".lean.evaluation.ablation", "measure the ranking without each feature"),
    "int8": Verb(".lean.evaluation.int8", "compare int8 with float32 weights"),
    "known-lemmas": Verb(
        ".lean.evaluation.known_lemmas", "ask an index for lemmas that are known to be in it"
    ),
    "evaluate-words": Verb(".lean.evaluation.words", "measure searches in words on a file of queries"),
    "experiments": Verb(".lean.experiments.run", "train and measure the models of Tables 3 and 4"),
    "embed-sentences": Verb(".lean.evaluation.sentence", "embed a corpus with the sentence encoder"),
    "evaluate-collection": Verb(".evaluation.evaluate", "measure rankings on the collection of a backend"),
    "fit-collection-rerank": Verb(".evaluation.fit_reranker", "fit the re-ranker of a collection"),
    "generate-references": Verb(
        ".naturalproofs.evaluation.refgen", "write reference sequences with a trained model"
    ),
    "naturalproofs-build": Verb(
        ".naturalproofs.readers.build", "read a source of NaturalProofs into a corpus file"
    ),
    "naturalproofs-check": Verb(".documents.store", "list what is wrong with a corpus file"),
    "naturalproofs-graph": Verb(".naturalproofs.graph", "describe the reference graph of a corpus"),
    "naturalproofs-split": Verb(".naturalproofs.splits", "split a corpus"),
    "naturalproofs-evaluate": Verb(
        ".naturalproofs.evaluation.evaluate", "measure the models without training"
    ),
    "naturalproofs-generation": Verb(
        ".naturalproofs.evaluation.generation", "measure generated reference sequences"
    ),
    "match-build": Verb(".proof_matching.build", "make statement-proof pairs"),
    "match-check": Verb(".proof_matching.store", "list what is wrong with a file of pairs"),
    "match-replace": Verb(".proof_matching.replacement", "replace the symbols of pairs"),
    "match-vocabulary": Verb(".proof_matching.vocabulary", "make the vocabulary of the matcher"),
    "match-evaluate": Verb(".proof_matching.evaluation.evaluate", "measure matchers"),
    "match-experiments": Verb(
        ".proof_matching.evaluation.experiments", "train and measure the matchers of the thesis"
    ),
    "match-explain": Verb(".proof_matching.explanation.command", "explain the score of a pair"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the command line names; returns the exit code."""
    return run_verb("retriever", VERBS, arguments)


if __name__ == "__main__":
    leave_current_folder()
    sys.exit(main())
