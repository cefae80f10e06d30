"""Goals outside a namespace: Lean prints names in full that the statements leave out, and finds the same lemmas.

The example library is copied into a namespace of a course, and written without spaces around colons, as some are.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from lean_extract.records import Goal
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.stores import SHIPPED_MODEL
from retriever.lean.eligibility import RankRequest
from retriever.lean.index.build import update_index
from retriever.lean.service import PremiseService
from retriever.lean.structure.hashes import of_premise
from retriever.lean.symbols import premise_symbols
from retriever.lean.tokens import bound_names, goal_tokens, premise_tokens
from retriever.models.encoder import Encoder
from retriever.models.text import binder_parts, without_namespaces
from retriever.search.index.store import IndexStore
from tests.once import Once
from tests.retriever.support import theorem

pytestmark = pytest.mark.field_case

COURSE = "Chapter5"
RESTATED = {
    "Function.Injective.comp": (
        "g : β → γ\nf : α → β\nhg : Function.Injective g\nhf : Function.Injective f\n⊢ Function.Injective (g ∘ f)"
    ),
    "Function.Surjective.of_comp": (
        "f : α → β\ng : γ → α\nh : Function.Surjective (f ∘ g)\n⊢ Function.Surjective f"
    ),
    "Function.LeftInverse.injective": (
        "f : α → β\ng : β → α\nh : Function.LeftInverse g f\n⊢ Function.Injective f"
    ),
    "Function.surjective_iff_hasRightInverse": (
        "f : α → β\n⊢ Function.Surjective f ↔ ∃ g, Function.RightInverse g f"
    ),
    "List.map_append": "f : α → β\nx y : List α\n⊢ List.map f (x ++ y) = List.map f x ++ List.map f y",
    "List.foldr_append": (
        "f : α → β → β\nb : β\nx y : List α\n⊢ List.foldr f b (x ++ y) = List.foldr f (List.foldr f b y) x"
    ),
    "List.take_append_drop": "n : ℕ\nx : List α\n⊢ List.take n x ++ List.drop n x = x",
    "Set.range_eq_univ": "f : α → β\n⊢ Set.range f = Set.univ ↔ Function.Surjective f",
    "Tree.toList_map": "f : α → β\nt : Tree α\n⊢ Tree.toList (Tree.map f t) = List.map f (Tree.toList t)",
    "Nat.IsGcd.unique": "a b m n : ℕ\nha : Nat.IsGcd a m n\nhb : Nat.IsGcd b m n\n⊢ a = b",
    "Nat.Even.add": "x y : ℕ\nhx : Nat.Even x\nhy : Nat.Even y\n⊢ Nat.Even (x + y)",
    "Subgroup.Normal.inf": (
        "G : Type u\ninst✝ : Group G\nH K : Subgroup G\nhH : Subgroup.Normal H\nhK : Subgroup.Normal K\n"
        "⊢ Subgroup.Normal (H ⊓ K)"
    ),
}
_NAMES = re.compile(r"(?<![\w.])(?:Function|List|Nat|Set|Subgroup|Tree)\.(?=\w)")
_COLONS = re.compile(r"(?<=[\w)}]) : (?=[^=\s])")


@pytest.fixture(scope="session")
def course(once: Once) -> PremiseService:
    """The example library in a namespace, indexed with the shipped encoder."""

    def fill(folder: Path) -> None:
        root = folder / "course"
        shutil.copytree(EXAMPLE, root)
        for path in root.rglob("*.lean"):
            imports, text = [], []
            for line in path.read_text(encoding="utf-8").split("\n"):
                (imports if line.startswith("import ") else text).append(line)
            body = _COLONS.sub(":", "\n".join(text))
            whole = "\n".join([*imports, f"namespace {COURSE}", body, f"end {COURSE}", ""])
            path.write_text(whole, encoding="utf-8")
        update_index(root, IndexStore(folder / "index"), Encoder.load(SHIPPED_MODEL))

    return PremiseService.open([IndexStore(once.folder("course", fill) / "index")], SHIPPED_MODEL)


@pytest.mark.parametrize("names", ["full", "full but for the course's namespace", "short"])
@pytest.mark.parametrize("lemma", RESTATED)
def test_a_restated_lemma_is_first_however_names_are_printed(
    course: PremiseService, lemma: str, names: str
) -> None:
    state = RESTATED[lemma]
    if names == "full":
        state = _NAMES.sub(lambda found: f"{COURSE}.{found[0]}", state)
    elif names == "short":
        state = _NAMES.sub("", state)
    [first, *_] = course.rank(RankRequest(parse_goal(state), None, 10))
    assert first.premise.name == f"{COURSE}.{lemma}"


def test_namespaces_that_the_model_does_not_know_do_not_move_a_state() -> None:
    encoder = Encoder.load(SHIPPED_MODEL)
    state = "a b : ℕ → ℚ\nh : (↑a : {0}Sequence).IsCauchy\n⊢ {0}LIM a = Real.exp ({0}LIM b)"
    short, full = (parse_goal(state.format(space)) for space in ("", "Chapter5.Quux.Own."))
    assert encoder.encode_state(full).tolist() == encoder.encode_state(short).tolist()
    assert encoder.fit(full).text == encoder.fit(short).text
    plain = parse_goal(state.format("").replace("Real.", ""))
    assert encoder.encode_state(plain).tolist() != encoder.encode_state(short).tolist()


NAMES = st.lists(st.sampled_from(["A", "Real", "Foo", "bar", "b'", "x₁"]), min_size=1, max_size=4).map(
    ".".join
)


@given(st.lists(st.one_of(NAMES, st.sampled_from(["(", ")", "=", "∀", "2", "."])), max_size=8))
def test_names_lose_unknown_namespaces_only(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = without_namespaces(Goal((), text), {"Real"}.__contains__).target
    assert [piece.rpartition(".")[2] for piece in found.split(" ")] == [
        piece.rpartition(".")[2] for piece in text.split(" ")
    ]
    assert without_namespaces(Goal((), text), lambda part: True).target == text
    assert without_namespaces(Goal((), found), {"Real"}.__contains__).target == found


def test_a_goal_has_the_tokens_of_every_shorter_name() -> None:
    tokens = goal_tokens(parse_goal("⊢ Course.Real.exp Course.Real.pi = Course.zero'"))
    assert {"Course.Real.exp", "Real.exp", "exp", "Real.pi", "zero"} <= set(tokens)


@pytest.mark.parametrize(
    ("goal", "conclusion"),
    [
        ("⊢ Course.LIM a + Course.LIM b = Course.LIM (a + b)", "LIM x + LIM y = LIM (x + y)"),
        ("⊢ LIM a + LIM b = LIM (a + b)", "Course.LIM x + LIM y = Course.LIM (x + y)"),
        ("a b : ℕ\n⊢ (a + b).Even", "Even (x + y)"),
        ("a b : ℕ\n⊢ Nat.Even (a + b)", "(x + y).Even"),
        ("a b c : ℕ\n⊢ a.IsGcd b c", "x.IsGcd y z"),
    ],
)
def test_a_statement_has_one_shape_however_its_names_are_written(goal: str, conclusion: str) -> None:
    [shape] = [
        token for token in premise_tokens(theorem("t", "M", conclusion, "(x y z : ℕ)")) if token[0] == "≡"
    ]
    assert shape in goal_tokens(parse_goal(goal))


@pytest.mark.parametrize(
    ("binder", "parts"),
    [
        ("(a b : ℕ)", (("a", "b"), "ℕ")),
        ("{a b:ℕ}", (("a", "b"), "ℕ")),
        ("(h: (a : Sequence).IsCauchy)", (("h",), "(a : Sequence).IsCauchy")),
        ("{α}", (("α",), "")),
        ("[Group G]", ((), "Group G")),
        ("[inst:Group G]", ((), "Group G")),
        ("[Fact (0 < (n : ℝ))]", ((), "Fact (0 < (n : ℝ))")),
        ("[∀ i : ι, Ring (A i)]", ((), "∀ i : ι, Ring (A i)")),
        ("(h : p := by simp)", (("h",), "p")),
    ],
)
def test_a_binder_is_read_with_and_without_spaces(binder: str, parts: tuple[tuple[str, ...], str]) -> None:
    assert binder_parts(binder) == parts


def test_spaces_around_colons_make_no_difference() -> None:
    spaced = theorem("t", "M", "LIM a + LIM b = LIM (a + b)", "{a b : ℕ → ℚ}", "(h : (a : Seq).IsCauchy)")
    tight = theorem("t", "M", "LIM a + LIM b = LIM (a + b)", "{a b:ℕ → ℚ}", "(h:(a:Seq).IsCauchy)")
    assert premise_tokens(spaced) == premise_tokens(tight)
    assert of_premise(spaced) == of_premise(tight)
    assert premise_symbols(spaced) == premise_symbols(tight)
    assert bound_names(spaced.context) == bound_names(tight.context) == {"a", "b", "h"}
    encoder = Encoder.load(SHIPPED_MODEL)
    assert encoder.encode_premises([spaced]).tolist() == encoder.encode_premises([tight]).tolist()
