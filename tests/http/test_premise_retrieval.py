"""LeanPremise's interface, asked as premise-selection asks: by curl, the body on standard input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.http.conftest import ADD_COMM, ADD_COMM_WITHOUT_NOTATION, Served, curl, names

AGENT = ("--user-agent", "LeanProver (https://leanprover-community.github.io/)")
NEW = {
    "name": "Mine.swap",
    "decl": "/-- Sums may be swapped. -/\ntheorem Mine.swap (m n : Nat) : Eq (HAdd.hAdd m n) (HAdd.hAdd n m)",
}


def client_request(server: Served, method: str, path: str, body: Any = None) -> Any:
    """As `Cloud.makeRequest` runs curl."""
    if body is None:
        return curl("-X", method, *AGENT, f"{server.url}{path}")
    given = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    data = ("--header", "Content-Type: application/json", "--data", "@-")
    return curl("-X", method, *AGENT, *data, f"{server.url}{path}", stdin=given)


def recorded(modules: list[int], premises: list[int], new: list[dict[str, str]], k: int) -> dict[str, Any]:
    """The client's request, with all its fields."""
    return {
        "state": ADD_COMM_WITHOUT_NOTATION,
        "local_premises": premises,
        "imported_modules": modules,
        "new_premises": new,
        "k": k,
        "caller_in_module_system": False,
        "imported_all_modules": [],
    }


def test_the_request_of_lean_lsp_mcp(server: Served) -> None:
    found = server.retrieve(state=ADD_COMM, new_premises=[], k=8)
    assert len(found) == 8
    assert all(set(one) == {"name", "score"} for one in found)
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    assert names(found)[0] == "Nat.add_comm"


def test_notation_changes_nothing_of_the_best(server: Served) -> None:
    best = [server.retrieve(state=s, k=1) for s in (ADD_COMM, ADD_COMM_WITHOUT_NOTATION)]
    assert best[0][0]["name"] == best[1][0]["name"] == "Nat.add_comm"


def test_a_request_of_the_client_by_imported_modules(server: Served) -> None:
    modules = client_request(server, "GET", "/indexed-modules")
    indexed = set(client_request(server, "GET", "/indexed-premises"))
    number = modules.index("Example.Nat.Gcd")
    found = client_request(server, "POST", "/retrieve", recorded([number], [], [], 16))
    by_name = server.retrieve(
        state=ADD_COMM_WITHOUT_NOTATION, imported_modules=["Example/Nat/Gcd.lean"], k=16
    )
    assert found == by_name
    assert len(found) == 16
    assert set(names(found)) <= indexed
    assert "Nat.add_comm" not in names(found)
    assert any("gcd" in name.lower() for name in names(found))


def test_a_request_of_the_client_by_single_premises(server: Served) -> None:
    indexed = client_request(server, "GET", "/indexed-premises")
    wanted = ["Nat.add_comm", "Nat.mul_comm", "Nat.add_assoc"]
    numbers = [indexed.index(name) for name in wanted]
    found = client_request(server, "POST", "/retrieve", recorded([], numbers, [], 16))
    assert names(found)[0] == "Nat.add_comm"
    assert sorted(names(found)) == sorted(wanted)


def test_new_premises_are_ranked_with_the_rest(server: Served) -> None:
    modules = client_request(server, "GET", "/indexed-modules")
    number = modules.index("Example.Nat.Basic")
    found = client_request(server, "POST", "/retrieve", recorded([number], [], [NEW], 16))
    assert "Mine.swap" in names(found)[:4]
    alone = client_request(server, "POST", "/retrieve", recorded([], [], [NEW], 16))
    assert names(alone) == ["Mine.swap"]
    assert names(server.retrieve(state=ADD_COMM, new_premises=[NEW], k=300)).count("Mine.swap") == 1


def test_of_two_thousand_new_premises_the_one_that_fits_is_found(server: Served) -> None:
    others = [
        {"name": f"Other.t{i}", "decl": f"theorem Other.t{i} (s : List Nat) : Ne (List.length s) {i}"}
        for i in range(2047)
    ]
    body = recorded([], [], [*others[:1000], NEW, *others[1000:]], 32)
    found = client_request(server, "POST", "/retrieve", body)
    assert len(found) == 32
    assert names(found)[0] == "Mine.swap"
    assert client_request(server, "POST", "/retrieve", body) == found


EVEN = "a b : ℕ\nh : Nat.Even a\n⊢ Nat.Even (a * b)"
TWICE = {"name": "Mine.Twice", "decl": "def Mine.Twice (n : Nat) : Prop"}


@pytest.mark.parametrize(
    ("caller", "is_offered"),
    [
        ("simp", True),
        ("rw", True),
        ("unfold", True),
        ("exact", False),
        ("grind", False),
        ("", False),
        (None, False),
    ],
)
def test_definitions_are_answered_to_callers_that_can_use_them(
    server: Served, caller: str | None, is_offered: bool
) -> None:
    plain = names(server.retrieve(state=EVEN, caller=caller, k=8))
    assert ("Nat.Even" in plain) is is_offered
    assert ("Nat.Even.mul_right" in plain) is (caller != "unfold")
    modules = ["Example.Nat.Parity"]
    found = server.retrieve(state=EVEN, caller=caller, imported_modules=modules, new_premises=[TWICE], k=64)
    assert ({"Nat.Even", "Mine.Twice"} <= set(names(found))) is is_offered
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)


def test_in_the_module_system_only_theorems_are_answered(server: Served) -> None:
    found = server.retrieve(state=EVEN, caller="simp", caller_in_module_system=True, k=8)
    assert "Nat.Even" not in names(found)
    assert "Nat.Even.mul_right" in names(found)


@pytest.mark.parametrize(
    "declaration",
    [
        "",
        "theorem",
        "not Lean at all ⊢ (",
        "/-- never closed",
        "def f (n : Nat) : Nat",
        "theorem x : " + "(" * 9000,
    ],
)
def test_odd_declarations_are_no_trouble(server: Served, declaration: str) -> None:
    sent = [{"name": "Odd", "decl": declaration}, NEW]
    assert "Mine.swap" in names(server.retrieve(state=ADD_COMM, imported_modules=[], new_premises=sent, k=4))


def test_nothing_is_answered_where_nothing_may_be(server: Served) -> None:
    assert server.retrieve(state=ADD_COMM, imported_modules=[], local_premises=[], k=4) == []
    unknown = {"imported_modules": ["No.Such.Module", 10**9, -1], "local_premises": ["no_such", -5]}
    assert server.retrieve(state=ADD_COMM, k=4, **unknown) == []


def test_several_states_get_as_many_lists(server: Served) -> None:
    found = server.retrieve(state=[ADD_COMM, "s : List Nat\n⊢ s ++ [] = s"], k=3)
    assert [len(one) for one in found] == [3, 3]
    assert found[0] == server.retrieve(state=ADD_COMM, k=3)
    assert server.retrieve(state=[], k=3) == []


@pytest.mark.parametrize(
    ("k", "least", "most"), [(-1, 0, 0), (0, 0, 0), (-(10**9), 0, 0), (10**9, 300, 1024)]
)
def test_k_is_kept_within_bounds(server: Served, k: int, least: int, most: int) -> None:
    assert least <= len(server.retrieve(state=ADD_COMM, k=k)) <= most


def test_the_cap_on_new_premises_is_told(server: Served) -> None:
    assert client_request(server, "GET", "/max-new-premises") == 2048


def test_the_lists_hold_each_name_once(server: Served) -> None:
    for path in ("/indexed-modules", "/indexed-premises"):
        listed = client_request(server, "GET", path)
        assert len(listed) == len(set(listed)) > 20


def test_the_lists_hold_leans_own_library(server: Served) -> None:
    """The mini core, here: a client that has `Init` imported is answered from it."""
    assert {"Init", "MiniCore.Basic"} <= set(client_request(server, "GET", "/indexed-modules"))
    assert "Nat.add_succ" in client_request(server, "GET", "/indexed-premises")
    found = server.retrieve(
        state="n m : Nat\n⊢ n + m.succ = (n + m).succ", imported_modules=["MiniCore.Basic"], k=300
    )
    assert "Nat.add_succ" in names(found)
    assert not any(name.startswith("Example.") for name in names(found))
