"""Whole proofs by a model: samples, Lean's errors back to it, beginnings that are kept, answers asked for once."""

from __future__ import annotations

from collections.abc import Sequence

from lean_extract.goals import parse_goal
from lean_extract.records import TacticOutcome
from prover.served.address import read_address
from prover.served.client import ModelServer
from prover.served.prompts import Material
from prover.served.proving import ProofPlan, WrittenProof, write_proof
from tests.fakes.model_server import Call, Served, serving

GOAL = parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p")
RIGHT = "exact ⟨h.2, h.1⟩"


async def judged(scripts: Sequence[str]) -> list[TacticOutcome]:
    """As a Lean would that knows one proof, and that `constructor` and `skip` leave goals."""

    def outcome(script: str) -> TacticOutcome:
        if script == RIGHT:
            return TacticOutcome(script, "closes")
        if set(script.split("\n")) <= {"constructor", "skip"}:
            return TacticOutcome(script, "progress")
        return TacticOutcome(script, "fails", message=f"no: {script.splitlines()[-1]}")

    return [outcome(one) for one in scripts]


async def written(
    served: Served, samples: int = 3, repairs: int = 2, model: str = "scripted"
) -> WrittenProof:
    server = ModelServer(read_address(f"{served.url}#{model}"))
    plan = ProofPlan(samples, repairs, 3000, 500)
    first = await write_proof(server, Material(GOAL), judged, plan)
    asked = len(served.asked)
    again = await write_proof(server, Material(GOAL), judged, plan)
    assert (again.proof, len(served.asked)) == (first.proof, asked)
    return first


def proof(*steps: str) -> str:
    return "```lean\ntheorem x : q ∧ p := by\n  " + "\n  ".join(steps) + "\n```"


async def test_each_sample_has_its_seed_and_all_are_judged() -> None:
    with serving(lambda call: call.text(proof("wrong" + str(call.body["seed"])))) as served:
        found = await written(served, repairs=0)
    assert sorted(body["seed"] for body in served.asked) == [0, 1, 2]
    assert found.proof is None and found.beginnings == []


async def test_leans_error_goes_back_to_the_model_with_the_proof_that_went_furthest() -> None:
    def answers(call: Call) -> None:
        if "Lean says" not in call.prompt:
            call.text(proof("bad") if call.body["seed"] else proof("constructor", "skip", "worse"))
        elif "no: worse" in call.prompt:
            call.text(proof("constructor", "other"))
        else:
            call.text(proof(RIGHT))

    with serving(answers) as served:
        found = await written(served)
    assert found.proof is not None and found.proof.tactic == RIGHT
    assert (
        found.beginnings[0] in ("constructor\nskip", "constructor")
        and "constructor\nskip" in found.beginnings
    )
    repairs = [prompt for prompt in served.prompts if "Lean says" in prompt]
    assert len(repairs) == 2 and "no: worse" in repairs[0] and "constructor\nskip\nworse" in repairs[0]


async def test_nothing_more_is_asked_once_there_is_a_proof() -> None:
    with serving(lambda call: call.text(proof(RIGHT))) as served:
        found = await written(served, samples=1, repairs=5)
    assert found.proof is not None and len(served.asked) == 1


async def test_what_proves_nothing_is_not_judged() -> None:
    with serving(lambda call: call.text(proof("sorry"), proof("native_decide"), "#eval 1")) as served:
        found = await written(served)
    assert found.proof is None and len(served.asked) == 3
