"""A notation is read as the constant for which it stands: in lists of goals, in searches and in patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp_server.conftest import Cli, answered, premise_names, succeed, write

OWN = """namespace Own

structure Before (a b : Nat) : Prop where
  le : a ≤ b

theorem spelled_out (a b : Nat) (h : Before a b) : Before a (b + 1) := ⟨Nat.le_succ_of_le h.le⟩

@[inherit_doc] scoped infixl:50 " ≺≺ " => Before
notation:50 a:50 " ⊑⊑ " b:50 => Before a b
infix:50 " ≼≼ " => @Own.After
prefix:max "√√" => twice
postfix:max "‼" => Own.halved
notation3 "ℵℵ" => Own.Many
local notation "⊠⊠" => Own.Hidden

theorem with_sign (a b c : Nat) (h : a ≺≺ b) (k : b ≺≺ c) : a ≺≺ c := ⟨Nat.le_trans h.le k.le⟩

theorem after_all (a b : Nat) : After a b := sorry
theorem doubled (a : Nat) : twice a = twice a := rfl
theorem cut (a : Nat) : halved a = halved a := rfl
theorem lots (a : Nat) : a = Many := sorry
theorem unseen (a : Nat) : a = Hidden := sorry

end Own
"""
LISTS = """theorem List.start_stays (xs ys : List Nat) : xs <+: xs ++ ys := sorry
theorem List.start_grows (xs ys zs : List Nat) (h : List.IsPrefix xs ys) : List.IsPrefix xs (ys ++ zs) := sorry
theorem List.end_stays (xs ys : List Nat) : ys <:+ xs ++ ys := sorry
theorem List.thinned (xs ys : List Nat) : xs <+ xs ++ ys := sorry
theorem List.mixed (xs ys : List Nat) : xs ++ ys ~ ys ++ xs := sorry
theorem Bits.or_same (x : Nat) : x ||| x = x := sorry
"""
NOISE = "".join(
    f"theorem Other.fact{n} (xs ys : List Nat) (a b : Nat) : a < b + {n} ∨ xs ++ ys = ys := sorry\n"
    for n in range(40)
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    root = tmp_path_factory.mktemp("notations")
    (root / "lakefile.toml").write_text('name = "notations"\n', encoding="utf-8")
    write(root, Own=OWN, Lists=LISTS, Other=NOISE)
    succeed(cli, "index", root)
    return root


def names(cli: Cli, project: Path, *command: str, stdin: str = "") -> list[str]:
    return premise_names(answered(cli, *command, cwd=project, stdin=stdin))


def suggested(cli: Cli, project: Path, target: str) -> list[str]:
    state = f"xs ys zs : List ℕ\na b c : ℕ\n⊢ {target}\n"
    return names(cli, project, "suggest", "--state", "-", stdin=state)


@pytest.mark.parametrize(
    ("target", "found", "within"),
    [
        ("xs <+: ys ++ zs", {"List.start_stays", "List.start_grows"}, 3),
        ("List.IsPrefix xs (ys ++ zs)", {"List.start_stays", "List.start_grows"}, 2),
        ("ys <:+ zs ++ ys", {"List.end_stays"}, 1),
        ("List.Sublist xs (xs ++ zs)", {"List.thinned"}, 1),
        ("ys ++ xs ~ xs ++ ys", {"List.mixed"}, 1),
        ("a ≺≺ c", {"Own.with_sign", "Own.spelled_out"}, 3),
        ("a ⊑⊑ b + 1", {"Own.spelled_out"}, 1),
        ("Own.Before a c", {"Own.with_sign", "Own.spelled_out"}, 8),
        ("a ≼≼ b", {"Own.after_all"}, 1),
        ("Own.After a b", {"Own.after_all"}, 1),
    ],
)
def test_a_goal_is_given_what_is_written_either_way(
    cli: Cli, project: Path, target: str, found: set[str], within: int
) -> None:
    assert found <= set(suggested(cli, project, target)[:within])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("<+:", {"List.start_stays", "List.start_grows"}),
        (" <+: ", {"List.start_stays", "List.start_grows"}),
        ("<:+", {"List.end_stays"}),
        ("<+", {"List.thinned"}),
        ("|||", {"Bits.or_same"}),
        ("≺≺", {"Own.Before", "Own.with_sign", "Own.spelled_out"}),
        ("⊑⊑", {"Own.Before", "Own.spelled_out"}),
        ("√√", {"Own.doubled"}),
        ("‼", {"Own.cut"}),
        ("ℵℵ", {"Own.lots"}),
    ],
)
def test_a_symbol_finds_what_its_constant_finds(cli: Cli, project: Path, query: str, found: set[str]) -> None:
    listed = names(cli, project, "search", query)
    assert found <= set(listed) and not any(name.startswith("Other.") for name in listed[: len(found)])


@pytest.mark.parametrize("pattern", ["_ <+: _ ++ _", "List.IsPrefix _ (_ ++ _)", "⊢ ?a <+: _"])
def test_a_pattern_finds_both(cli: Cli, project: Path, pattern: str) -> None:
    assert set(names(cli, project, "search", pattern)) == {"List.start_stays", "List.start_grows"}


@pytest.mark.parametrize("pattern", ["⊢ _ ≺≺ _", "⊢ ?a ≺≺ ?b", "⊢ Own.Before _ _"])
def test_so_does_a_pattern_with_a_declared_one(cli: Cli, project: Path, pattern: str) -> None:
    assert set(names(cli, project, "search", pattern)) >= {"Own.with_sign", "Own.spelled_out"}


def test_a_pattern_is_of_one_operator(cli: Cli, project: Path) -> None:
    assert names(cli, project, "search", "_ <+ _") == ["List.thinned"]
    assert names(cli, project, "search", "_ ++ _ ~ _ ++ _") == ["List.mixed"]
    assert names(cli, project, "search", "_ ||| _") == ["Bits.or_same"]


def test_what_is_local_to_a_file_says_nothing_elsewhere(cli: Cli, project: Path) -> None:
    assert "Own.unseen" not in names(cli, project, "search", "⊠⊠")
