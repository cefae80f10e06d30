"""LightGBM's trees as the ONNX file that `retriever.lean.ranker.model` loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.files.atomic import replacing_bytes
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.model import FILE, FORMAT, INPUT, OUTPUT, VERSION

_OPSET, _ML_OPSET, _IR = 17, 3, 8


@dataclass(slots=True)
class _Nodes:
    """The nodes of all trees as the parallel lists of ONNX's TreeEnsembleRegressor."""

    trees: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    leaves: list[tuple[int, int, float]] = field(default_factory=list)
    """(tree, node, value)"""

    def add(self, tree: int, root: Mapping[str, Any]) -> None:
        """Add a tree, its nodes numbered in the order in which they are reached from the root."""
        waiting = [root]
        for number, node in enumerate(waiting):
            is_leaf = "leaf_value" in node
            self.trees.append(tree)
            self.ids.append(number)
            self.features.append(0 if is_leaf else int(node["split_feature"]))
            self.values.append(0.0 if is_leaf else _rounded_down(float(node["threshold"])))
            self.modes.append("LEAF" if is_leaf else "BRANCH_LEQ")
            self.left.append(0 if is_leaf else len(waiting))
            self.right.append(0 if is_leaf else len(waiting) + 1)
            if is_leaf:
                self.leaves.append((tree, number, float(node["leaf_value"])))
            else:
                waiting += [node["left_child"], node["right_child"]]


def _rounded_down(threshold: float) -> float:
    """The largest float32 that is not above a threshold: features are float32, and go left if not above it."""
    rounded = np.float32(threshold)
    return float(rounded if rounded <= threshold else np.nextafter(rounded, np.float32(-np.inf)))


def write_ranker(folder: Path, model: Mapping[str, Any], added: Mapping[str, float], fitted_on: str) -> None:
    """Write `ranker.onnx`.

    Args:
        folder: the model folder.
        model: what LightGBM's `dump_model` returns.
        added: weights of features that are added to the trees' score.
        fitted_on: what the trees were fitted to, in words.
    """
    import onnx
    from onnx import TensorProto, helper

    nodes = _Nodes()
    for number, tree in enumerate(model["tree_info"]):
        nodes.add(number, tree["tree_structure"])
    operator = helper.make_node(
        "TreeEnsembleRegressor",
        [INPUT],
        [OUTPUT],
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=nodes.trees,
        nodes_nodeids=nodes.ids,
        nodes_featureids=nodes.features,
        nodes_values=nodes.values,
        nodes_modes=nodes.modes,
        nodes_truenodeids=nodes.left,
        nodes_falsenodeids=nodes.right,
        target_treeids=[tree for tree, _, _ in nodes.leaves],
        target_nodeids=[node for _, node, _ in nodes.leaves],
        target_ids=[0] * len(nodes.leaves),
        target_weights=[value for _, _, value in nodes.leaves],
    )
    graph = helper.make_graph(
        [operator],
        "ranker",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [None, len(RANKER_FEATURES)])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [None, 1])],
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(
        made,
        {
            "format": FORMAT,
            "version": str(VERSION),
            "features": " ".join(RANKER_FEATURES),
            "added": json.dumps(dict(added)),
            "fitted_on": fitted_on,
        },
    )
    onnx.checker.check_model(made)
    with replacing_bytes(folder / FILE) as stream:
        stream.write(made.SerializeToString())
