from __future__ import annotations

import pytest

from lean_extract.source.reader import read_module
from lsp_server.documents.goal_positions import goal_context

TEXT = """import Lib.Sets

theorem above : 1 = 1 := rfl

@[to_additive]
theorem mul_one' (a : G) : a * 1 = a := by
  skip
  """


@pytest.mark.parametrize("line", [5, 6, 7])
def test_the_theorem_being_proved_is_known_and_is_no_premise_there(line: int) -> None:
    text = "\n".join(TEXT.split("\n")[: line + 1])
    context = goal_context(read_module(text, "My.File", "My/File.lean"), text, line)
    assert (context.module, context.imports, context.theorem) == ("My.File", ("Lib.Sets",), "mul_one'")
    assert [premise.name for premise in context.local] == ["above"]


def test_an_example_has_no_name_and_may_use_what_stands_above_it() -> None:
    text = "theorem above : 1 = 1 := rfl\nexample : 1 = 1 := by\n  "
    context = goal_context(read_module(text, "A", "A.lean"), text, 2)
    assert context.theorem is None
    assert [premise.name for premise in context.local] == ["above"]
