"""What rests on `sorry` is found under whatever options Lean prints or hides it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import GoalBroken
from lean_extract.session import LeanSession
from lean_extract.session.document import LeanDocument
from lean_extract.session.insertion import with_warnings
from lean_extract.syntax.axioms import axioms_in
from tests.lake.projects import LakeProject
from tests.lean_extract.session_helpers import MARK, marked, outcomes

pytestmark = pytest.mark.lean

OPTIONS = ["warn.sorry false", "pp.sorrySource true", "pp.explicit true", "pp.universes true", "pp.all true"]
DEFINITION = "noncomputable def f (n : Nat) : Nat := sorry\n\n"
GOAL = "theorem t (a b : Nat) (h : a = b) : a = b := by\n  ‸sorry\n"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("option", OPTIONS)
class TestOptions:
    async def test_a_definition_left_to_sorry(self, session: LeanSession, option: str) -> None:
        text = f"set_option {option}\n\n{DEFINITION}theorem t : f 2 = f 3 := by\n  ‸sorry\n"
        found = await outcomes(session, text, ["rfl", "unfold f"])
        assert found["rfl"].status == "unjudged"
        assert found["rfl"].message == "cannot be judged: line 3 leaves a definition to `sorry`"
        assert found["unfold f"].status == "fails"
        assert found["unfold f"].message == "it leaves a goal that mentions `sorry`"

    async def test_a_tactic_that_gives_up(self, session: LeanSession, option: str) -> None:
        text = f'set_option {option}\nmacro "cheat" : tactic => `(tactic| exact sorry)\n\n{GOAL}'
        found = await outcomes(session, text, ["cheat", "exact h"])
        assert (found["cheat"].status, found["cheat"].message) == ("fails", "it leaves the goal to `sorry`")
        assert (found["exact h"].status, found["exact h"].rests_on_sorry) == ("closes", False)

    async def test_a_lemma_left_to_sorry(self, session: LeanSession, option: str) -> None:
        text = f"set_option {option}\n\ntheorem k.{{u}} (α : Sort u) (a b : α) : a = b := by sorry\n\n{GOAL}"
        found = (await outcomes(session, text, ["exact k _ a b"]))["exact k _ a b"]
        assert (found.status, found.rests_on_sorry, found.unfinished) == ("closes", True, ("k",))

    async def test_a_goal_that_mentions_it(self, session: LeanSession, option: str) -> None:
        text = f"set_option {option}\n\ntheorem t : (sorry : Nat) = 1 := by\n  ‸sorry\n"
        with pytest.raises(GoalBroken, match="mentions `sorry`"):
            await outcomes(session, text, ["rfl"])


LAKEFILE = 'name = "lib"\nleanOptions.warn.sorry = false\n\n[[lean_lib]]\nname = "Lib"\n'
USES = f"import Lib.A\n\n{DEFINITION}theorem t : f 2 = f 3 := by\n  ‸sorry\n"


async def test_where_the_lakefile_hides_it(lake_project: Callable[..., LakeProject]) -> None:
    text, position = marked(USES)
    files = {"lakefile.toml": LAKEFILE, "Lib/A.lean": "def a := 1\n", "Lib.lean": text}
    project = lake_project("4.27.0", files)
    async with await LeanSession.start(project.root, project.toolchain) as session:
        tried = session.try_tactics(Path("Lib.lean"), text, position, ["rfl", "unfold f"], timeout=60)
        async with aclosing(tried):
            found = {outcome.tactic: outcome async for outcome in tried}
    assert found["rfl"].message == "cannot be judged: line 3 leaves a definition to `sorry`"
    assert found["rfl"].edit is not None
    assert (found["rfl"].edit.span.start, found["rfl"].edit.text) == (position, "rfl")


HEADERS = st.sampled_from(
    ["", "import A\n", "-- x\nmodule\nimport A.B -- y\n", "import A\n/- z -/ import B\n"]
)
PIECES = st.sampled_from(
    ["set_option warn.sorry false", "set_option warn.sorry true", "\n", "def f := 1", " in ", MARK, "\n\n"]
)


@given(HEADERS, st.lists(PIECES).map(" ".join), st.booleans())
def test_all_else_keeps_its_line_and_column(
    tmp_path_factory: pytest.TempPathFactory, header: str, rest: str, in_lakefile: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"lakefile-{in_lakefile}"
    folder.mkdir(exist_ok=True)
    (folder / "lakefile.toml").write_text(LAKEFILE if in_lakefile else 'name = "lib"\n')
    document = LeanDocument(header + rest)
    changed = with_warnings(document, folder)
    assert "warn.sorry false" not in changed.text
    old, new = document.text.split("\n"), changed.text.split("\n")
    added = [
        place
        for place, line in enumerate(new)
        if line != old[place].replace("warn.sorry false", "warn.sorry true ")
    ]
    assert len(old) == len(new)
    assert len(added) <= in_lakefile and all(not old[place].strip() for place in added)


NAMES = st.sampled_from(["sorryAx", "propext", "Classical.choice", "«a.{b}».c", "«x, y»"])


@given(st.lists(st.tuples(NAMES, st.sampled_from(["", ".{u}", ".{u, v}", ".{max u v}"])), min_size=1))
def test_axioms_are_read_without_their_universes(axioms: list[tuple[str, str]]) -> None:
    listed = ",\n ".join(f"{name}{universes}" for name, universes in axioms)
    assert axioms_in(f"'t' depends on axioms: [{listed}]") == tuple(name for name, _ in axioms)
