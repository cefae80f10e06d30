"""Candidate tactics: which are proposed, and in which order."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.goals import parse_goal
from lean_extract.records import Goal, Premise
from prover.candidates import Candidate, CandidateSource, FinishingTactics, Templates, merge
from prover.closers import MATHLIB_CLOSERS
from prover.shaped.situation import Situation, words

ADD_COMM = Premise("Nat.add_comm", "theorem", "M", ("(n m : ℕ)",), "n + m = m + n")
LE_TRANS = Premise("Nat.le_trans", "theorem", "M", ("{a b c : ℕ}", "(h₁ : a ≤ b)", "(h₂ : b ≤ c)"), "a ≤ c")
MUL_ZERO = Premise("Nat.mul_zero", "theorem", "M", ("(n : ℕ)",), "n * 0 = 0")
EVEN_IFF = Premise("even_iff", "theorem", "M", ("{n : ℕ}",), "Even n ↔ ∃ k, n = k + k")
EVEN_SPLITS = Premise("Even.splits", "theorem", "M", ("{n : ℕ}", "(h : Even n)"), "∃ k, n = k + k")
LE_OR_LT = Premise("le_or_lt", "theorem", "M", ("(a b : ℕ)",), "a ≤ b ∨ b < a")
DOUBLE = Premise("double", "def", "M", ("(n : ℕ)",), "ℕ")
GROUP = Premise("Group", "class", "M", ("(G : Type)",), "Type")


def tactics(goal: str, premises: Sequence[Premise], limit: int = 40) -> list[str]:
    return [one.tactic for one in Templates().candidates(parse_goal(goal), premises, limit)]


def closing(goal: str, limit: int = 40) -> list[str]:
    return [one.tactic for one in FinishingTactics().candidates(parse_goal(goal), (), limit)]


def test_an_equation_that_is_the_goal_is_given_exactly_with_its_arguments_left_open() -> None:
    found = tactics("n m : ℕ\n⊢ n + m = m + n", [ADD_COMM])
    assert found[0] == "exact Nat.add_comm _ _"
    assert found.index("rw [Nat.add_comm]") < found.index("rw [← Nat.add_comm]")


def test_an_equation_about_a_part_of_the_goal_is_rewritten_with_first() -> None:
    found = tactics("n m : ℕ\n⊢ n + m * 0 ≤ n", [MUL_ZERO])
    assert found[0] == "rw [Nat.mul_zero]"
    assert "simp [Nat.mul_zero]" in found
    assert "simp only [Nat.mul_zero]" in found


def test_an_implication_is_applied_and_its_proofs_are_sought_among_the_hypotheses() -> None:
    found = tactics("a b c : ℕ\nh : a ≤ b\nh2 : b ≤ c\n⊢ a ≤ c", [LE_TRANS])
    assert set(found[:3]) == {"exact Nat.le_trans h h2", "exact h.trans h2", "apply Nat.le_trans"}
    assert "refine Nat.le_trans ?_ ?_" in found


@pytest.mark.parametrize(
    ("context", "conclusion", "goal", "tactic"),
    [
        (
            ("{m : ℕ}", "(hm : m.Even)", "(n : ℕ)"),
            "(m * n).Even",
            "x y : ℕ\nh : x.Even\n⊢ (x * y).Even",
            "exact Lib.rule h _",
        ),
        (
            ("{m : ℕ}", "(hm : Even m)", "(n : ℕ)"),
            "Even (m * n)",
            "x y : ℕ\nh : x.Even\n⊢ (x * y).Even",
            "exact Lib.rule h _",
        ),
        (("{m n : ℕ}", "(h : m.Even)"), "m.succ.Odd", "x : ℕ\nk : x.Even\n⊢ x.succ.Odd", "exact Lib.rule k"),
        (
            ("{H K : Subgroup G}", "(hH : H.Normal)", "(hK : K.Normal)"),
            "(H ⊓ K).Normal",
            "A B : Subgroup G\nha : A.Normal\nhb : B.Normal\n⊢ (A ⊓ B).Normal",
            "exact Lib.rule ha hb",
        ),
        (
            ("{p q : Prop}", "(a : p)", "(b : q)"),
            "p ∧ q",
            "r s : Prop\nh : r\nk : s\n⊢ r ∧ s",
            "exact Lib.rule h k",
        ),
    ],
)
def test_a_hypothesis_in_dot_notation_or_of_a_variable_proposition_is_a_proof(
    context: tuple[str, ...], conclusion: str, goal: str, tactic: str
) -> None:
    assert tactics(goal, [Premise("Lib.rule", "theorem", "Lib", context, conclusion)])[0] == tactic


@pytest.mark.parametrize(
    ("dotted", "plain"),
    [
        ("n : ℕ\n⊢ n.Even", "n : ℕ\n⊢ Even n"),
        ("n : ℕ\nh : n.Odd\n⊢ ¬n.Even", "n : ℕ\nh : Odd n\n⊢ ¬Even n"),
        ("n k : ℕ\nh : k.Odd\n⊢ (n + k).Even", "n k : ℕ\nh : Odd k\n⊢ Even (n + k)"),
        ("n : ℕ\nh : ∀ k, k.Odd → k.Even\n⊢ n.Even", "n : ℕ\nh : ∀ k, Odd k → Even k\n⊢ Even n"),
        (
            "l : List ℕ\nh : l.Sorted → [] = l\n⊢ [] = l.tail",
            "l : List ℕ\nh : Sorted l → [] = l\n⊢ [] = tail l",
        ),
    ],
)
def test_a_goal_in_dot_notation_suggests_the_same(dotted: str, plain: str) -> None:
    assert closing(dotted) == closing(plain)
    assert words(Situation.of(parse_goal(dotted))) == words(Situation.of(parse_goal(plain)))


def test_without_hypotheses_nothing_is_filled_in() -> None:
    found = tactics("a c : ℕ\n⊢ a ≤ c", [LE_TRANS])
    assert found[0] == "apply Nat.le_trans"
    assert not [one for one in found if one.startswith("have")]


def test_inaccessible_hypotheses_are_not_named() -> None:
    found = tactics("a b c : ℕ\nh✝ : a ≤ b\n⊢ a ≤ c", [LE_TRANS])
    assert not [one for one in found if "✝" in one]
    assert not [one for one in closing("a b : ℕ\nh✝ : a = b\n⊢ b = a") if "✝" in one]


def test_one_side_of_an_equivalence_that_is_the_goal() -> None:
    found = tactics("n : ℕ\n⊢ Even n", [EVEN_IFF])
    assert "apply even_iff.mpr" in found[:3]
    assert "rw [even_iff]" in found[:3]


@pytest.mark.parametrize(
    ("goal", "term"),
    [
        ("p : ℕ → Prop\nh : ∀ n, p (n + 1) → p n\n⊢ p 0", None),
        ("p q : Prop\nh : p → q\nk : q → p\n⊢ p", None),
        ("p : ℕ → Prop\nh : ∀ n, p (n + 1) → p n\nk : p (0 + 1 + 1)\n⊢ p 0", "exact h _ (h _ k)"),
        ("p q : Prop\nhp : p\nhn : ¬p\n⊢ q", "exact (hn hp).elim"),
        ("p q r : Prop\nh : p ∧ q ∧ r\n⊢ r", "exact h.2.2"),
        ("p q : Prop\nh : p ↔ q\nk : ¬q\n⊢ ¬p", "exact fun h1 => k (h.mp h1)"),
        ("n : ℕ\nhpos : 0 < n\nhlt : n < 0\n⊢ 0 < 0", "exact hpos.trans hlt"),
        ("s : Set ℕ\nh : ∃ k, k ∈ s\nf : ∀ k ∈ s, p k\n⊢ ∃ k, p k", "exact h.elim (fun _ h1 => ⟨_, f _ h1⟩)"),
    ],
)
def test_hypotheses_are_put_together(goal: str, term: str | None) -> None:
    found = [one for one in tactics(goal, []) if one.startswith("exact")]
    assert (found[0] if found else None) == term


@pytest.mark.parametrize(
    "goal",
    [
        "\n".join(f"h{n} : p{n} → p{n + 1} → p{(n * 7) % 100}" for n in range(128)) + "\n⊢ p5",
        "\n".join(f"h{n} : ∀ x, f x (f {n} x) → f x x ∧ (f {n} x ∨ ∃ y, f y x)" for n in range(128))
        + "\n⊢ f 1 1",
        "h : " + "(" * 20_000 + "\n⊢ " + "p ∧ " * 10_000 + "p",
        "x : p\n⊢ " + "∃ x, " * 150 + "p x",
        "x : p\n⊢ " + "(" * 50 + "∀ x, p → (q ∨ " + "r)" * 50,
    ],
)
def test_large_and_tangled_goals_take_no_long_time(goal: str) -> None:
    began = time.process_time()
    tactics(goal, [ADD_COMM, LE_TRANS, EVEN_IFF])
    assert time.process_time() - began < 4


def test_definitions_are_unfolded_only_where_they_occur() -> None:
    assert "unfold double" in tactics("n : ℕ\n⊢ double n = n + n", [DOUBLE])
    assert tactics("n : ℕ\n⊢ n = n + n", [DOUBLE]) == []


def test_types_are_no_tactics() -> None:
    assert tactics("G : Type\n⊢ G = G", [GROUP]) == []


def test_a_turned_equation_is_used_the_other_way_round() -> None:
    found = tactics("n : ℕ\n⊢ 0 = n * 0", [MUL_ZERO])
    assert found[0] == "exact (Nat.mul_zero _).symm"


def test_the_better_ranked_premise_comes_first() -> None:
    twin = Premise("Other.add_comm", "theorem", "M", ADD_COMM.context, ADD_COMM.conclusion)
    found = tactics("n m : ℕ\n⊢ n + m = m + n", [twin, ADD_COMM])
    assert found.index("exact Other.add_comm _ _") < found.index("exact Nat.add_comm _ _")


def test_a_hypothesis_that_is_the_goal() -> None:
    assert closing("p : Prop\nh : p\n⊢ p")[0] == "assumption"


@pytest.mark.parametrize(
    ("goal", "first"),
    [
        ("⊢ ∀ n m : ℕ, n ≤ m → p n", "intro n m h"),
        ("n h : ℕ\n⊢ ∀ n : ℕ, p n → q", "intro n1 h1"),
        ("p : Prop\n⊢ ¬p", "intro h"),
        ("p q : Prop\nh : p ∧ q\nh2 : p → r\n⊢ r", "apply h2"),
    ],
)
def test_the_goal_and_the_hypotheses_suggest(goal: str, first: str) -> None:
    assert first in closing(goal)[:2]


def test_a_part_of_a_hypothesis_that_is_the_goal() -> None:
    assert "exact h.2" in closing("p q : Prop\nh : p ∧ q\n⊢ q")[:4]


@pytest.mark.parametrize(
    ("goal", "tactic"),
    [
        ("n : ℕ\nh : ∃ x, x = n ∧ 0 < x\n⊢ p", "obtain ⟨x, rfl, hx⟩ := h"),
        ("x : ℕ\nh : ∃ x ∈ s, q x\n⊢ p", "obtain ⟨x1, hx, hx1⟩ := h"),
        ("h : Nonempty α ∧ q\n⊢ p", "obtain ⟨⟨x⟩, h⟩ := h"),
        ("h : (∃ k, n = k + k) ∨ q ∧ r\n⊢ p", "rcases h with ⟨k, hk⟩ | ⟨h, h1⟩"),
        ("h : (a ∨ b) ∧ c\n⊢ p", "rcases h with ⟨(h | h), h1⟩"),
        ("⊢ a ∧ b ∧ c", "refine ⟨?_, ?_, ?_⟩"),
        ("⊢ a ↔ b", "refine ⟨fun h => ?_, fun h => ?_⟩"),
        ("n : ℕ\nh : 0 < n\n⊢ ∃ k, k < n", "refine ⟨n, ?_⟩"),
        ("x : ℕ\n⊢ (if x = 0 then 1 else f x) ≤ 2", "by_cases h : x = 0"),
        ("h : a ≤ b + 0\n⊢ a ≤ b", "simpa using h"),
        ("h : a < b\n⊢ c ≤ d", "by_contra h1"),
        ("x : ℕ\nh : x = 2\n⊢ p x", "subst h"),
    ],
)
def test_facts_and_goals_are_taken_apart(goal: str, tactic: str) -> None:
    assert tactic in closing(goal)


def test_a_pattern_is_bounded_however_large_the_fact() -> None:
    [found] = [
        one
        for one in closing(f"h : {' ∧ '.join(['a ∨ b'] * 300)}\n⊢ p")
        if "rcases" in one or "obtain" in one
    ]
    assert len(found) < 100


@pytest.mark.parametrize(
    ("premise", "goal", "tactic"),
    [
        (EVEN_SPLITS, "n : ℕ\nh : Even n\n⊢ p", "obtain ⟨k, hk⟩ := Even.splits h"),
        (LE_OR_LT, "n : ℕ\n⊢ p n", "rcases le_or_lt _ _ with h | h"),
        (LE_TRANS, "a b c : ℕ\nh : a ≤ b\nk : b ≤ c\n⊢ a < c + 1", "linarith [Nat.le_trans h k]"),
        (ADD_COMM, "n m : ℕ\n⊢ n + m = k + n", "convert Nat.add_comm _ _ using 1"),
        (ADD_COMM, "n m : ℕ\n⊢ n + m = k + n", "simpa using Nat.add_comm _ _"),
    ],
)
def test_what_a_premise_proves_is_taken_apart_or_brought_to_the_goal(
    premise: Premise, goal: str, tactic: str
) -> None:
    found = Templates(has_mathlib=True).candidates(parse_goal(goal), [premise], 40)
    assert tactic in [one.tactic for one in found]
    assert tactic in tactics(goal, [premise]) or tactic.startswith(("linarith", "convert"))


def test_mathlibs_tactics_come_first_where_they_fit() -> None:
    extra = FinishingTactics(MATHLIB_CLOSERS)
    found = [one.tactic for one in extra.candidates(parse_goal("x y : ℝ\n⊢ 0 ≤ x ^ 2 - y"), (), 40)]
    assert "nlinarith [sq_nonneg (y - x)]" in found
    assert max(map(found.index, ("positivity", "nlinarith"))) < min(map(found.index, ("ring", "fun_prop")))
    assert not {"positivity", "nlinarith", "gcongr"} & set(closing("x y : ℝ\n⊢ 0 ≤ x ^ 2 - y"))


def test_extra_closers_are_tried() -> None:
    found = FinishingTactics(extra=("ring",)).candidates(parse_goal("a : ℕ\n⊢ a = a"), (), 40)
    assert "ring" in [one.tactic for one in found]


def test_merge_keeps_the_best_of_each_and_no_unfinished_proof() -> None:
    first = [Candidate("simp", 0.2, "a"), Candidate("sorry", 1, "a"), Candidate("exact (sorry)", 1, "a")]
    second = [Candidate(" simp ", 0.6, "b"), Candidate("rfl", 0.4, "b"), Candidate("admit", 1, "b")]
    assert [(one.tactic.strip(), one.source) for one in merge([first, second], 5)] == [
        ("simp", "b"),
        ("rfl", "b"),
    ]
    assert merge([first, second], 1) == [second[0]]
    assert merge([], 3) == []


SCORES = st.floats(0, 1)
CANDIDATES = st.lists(
    st.builds(Candidate, st.sampled_from(["rfl", "simp", "exact a", "rw [a]"]), SCORES, st.just("x"))
)


@given(st.lists(CANDIDATES), st.integers(-1, 10))
def test_merge_is_sorted_without_doubles_and_within_its_limit(
    lists: list[list[Candidate]], limit: int
) -> None:
    found = merge(lists, limit)
    assert len(found) <= max(limit, 0)
    assert len({one.tactic for one in found}) == len(found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["theorem", "def", "class"]))
def test_any_goal_and_premise_give_candidates_of_the_protocol(target: str, binder: str, kind: str) -> None:
    goal = Goal((), target)
    sources: list[CandidateSource] = [Templates(), FinishingTactics()]
    for source in sources:
        found = source.candidates(goal, [Premise("a.b", kind, "M", (binder,), target)], 12)
        assert len(found) <= 12
        assert all(0 <= one.score <= 1 and one.tactic.strip() for one in found)


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("k n : ℕ\nhk : 0 < k\nhkn : k ≤ n\n⊢ k ∣ n.factorial", ["n"]),
        ("k n : ℕ\nh : k ≤ n\nh' : n ≤ k\n⊢ k = n", []),
        ("m n : ℕ\nh : m ≤ n\n⊢ m + n = n + m", ["m", "n"]),
        ("l : List ℕ\n⊢ l ++ [] = l", ["l"]),
        ("P : ℕ → Prop\nn : ℕ\nh : P n\n⊢ P n", ["n"]),
        ("n : ℕ\nh : Odd n\n⊢ ¬Even n", []),
        ("n : ℕ\nh : Odd n\n⊢ Even (double n)", ["n"]),
        ("n : ℕ\n⊢ n = 0 ∨ 0 < n", ["n"]),
        ("m n : ℕ\n⊢ Even n ∨ Odd n", ["n"]),
    ],
)
def test_induction_is_proposed_where_the_target_computes_with_the_variable(
    goal: str, names: list[str]
) -> None:
    proposed = [one.removeprefix("induction ") for one in closing(goal) if one.startswith("induction ")]
    assert proposed == names
