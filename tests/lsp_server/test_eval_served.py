"""`premise-suggest eval` and `prove` with a scripted model at a server: what they prove, at what cost."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from lean_extract.goals import parse_goal
from lsp_server.commands.eval_premises import ProblemPremises
from lsp_server.commands.eval_proving import EvaluationPlan, prepare, retrieval_of, setup_of
from prover.search.problems import Problem
from prover.search.sets import minif2f_set
from tests.fakes.model_server import Call, Served, serving
from tests.lsp_server.conftest import Cli, answered, succeed
from tests.lsp_server.test_eval_command import data, line, rows

pytestmark = pytest.mark.lean


@dataclass(frozen=True)
class Known:
    """A theorem, and the one proof of it that the model knows, with the premise that this needs."""

    hypotheses: str
    target: str
    premise: str
    proof: str

    @property
    def line(self) -> str:
        binders = " ".join(f"({one})" for one in self.hypotheses.split("\n"))
        return line(self.name, f"theorem {self.name} {binders} : {self.target}")

    @property
    def name(self) -> str:
        return "t" + str(KNOWN.index(self))


KNOWN = (
    Known("n m : Nat", "n + m = m + n", "Lib.plus_swap", "exact plus_swap n m"),
    Known("k : Nat", "0 + k = k", "Lib.zero_plus", "exact zero_plus k"),
    Known("a b : Nat", "a.succ + b = (a + b).succ", "Lib.succ_plus", "exact succ_plus a b"),
    Known("p q : Prop\nh : p ∧ q", "q ∧ p", "Lib.and_swap", "exact and_swap h"),
    Known("x y z : Nat", "x + (y + z) + 0 = y + z + x", "Lib.plus_swap", "exact plus_swap x (y + z)"),
    Known("u v : Nat", "u = v → 0 + u = v", "Lib.zero_plus", "exact fun h => (zero_plus u).trans h"),
    Known("i j : Nat", "double i + j = j + double i", "Lib.plus_swap", "exact plus_swap (double i) j"),
    Known("P : Nat → Prop\nw : P (0 + 3)", "P (3 + 0)", "Lib.plus_swap", "exact plus_swap 0 3 ▸ w"),
)


def section(prompt: str) -> list[str]:
    """The names of the premises in a prompt."""
    lines = prompt.partition("They exist under these names:\n")[2].partition("\n\n")[0].split("\n")
    return [one.split(" ")[0] for one in lines]


def asked_about(prompt: str) -> Known:
    return next(one for one in KNOWN if f" : {one.target} := by" in prompt)


def knowing(call: Call) -> None:
    """A right proof if its premise is offered, else one that Lean refuses."""
    known = asked_about(call.prompt)
    is_offered = known.premise in section(call.prompt)
    body = known.proof if is_offered else "exact this_is_not_known"
    call.text(f"```lean4\ntheorem this_goal : {known.target} := by\n  {body}\n```", tokens=(70, 11))


@pytest.fixture(autouse=True)
def lean(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def retrieved(path: Path, project: Path, premises: int) -> dict[str, list[str]]:
    """The names of the premises that the retriever has for each problem."""
    problems, plan = minif2f_set(path, project), EvaluationPlan(premises=premises)

    def nothing(stage: str, done: int, total: int) -> None:
        """Show no progress."""

    prepared = prepare(problems, plan, None, nothing, Event())
    retrieval = retrieval_of(setup_of(problems, plan, prepared, nothing, Event()), prepared)
    assert retrieval is not None
    found = {}
    for known, problem in zip(KNOWN, problems.posed, strict=True):
        assert isinstance(problem, Problem)
        goal = parse_goal(f"{known.hypotheses}\n⊢ {known.target}")
        ranked = asyncio.run(ProblemPremises(retrieval, problem).retrieve(goal))
        found[known.name] = [premise.written for premise in ranked]
    return found


def evaluation(project: Path, folder: Path, served: Served, *more: str, out: str = "run") -> list[str | Path]:
    """The arguments that have the model alone prove the problems."""
    problems = data(folder, *(one.line for one in KNOWN))
    asked = ["--project", project, "--tactics-from", "generator", "--generator", f"{served.url}#scripted"]
    return ["eval", "minif2f", "--data", problems, *asked, "--out", folder / out, *more]


def proved(folder: Path) -> set[str]:
    return {name for name, row in rows(folder).items() if row["status"] == "proved"}


def test_what_is_proved_is_what_was_retrieved(cli: Cli, project: Path, tmp_path: Path) -> None:
    """The model knows each proof only if the right premise is in its prompt."""
    with serving(knowing) as served:
        succeed(cli, *evaluation(project, tmp_path, served, "--premises", "2"))
        prompts = list(served.prompts)
        without = evaluation(
            project, tmp_path, served, "--premises", "2", "--prompt-premises", "0", out="without"
        )
        succeed(cli, *without)
        prompts_without = served.prompts[len(prompts) :]
    ranked = retrieved(tmp_path / "problems.jsonl", project, 2)
    offered = {known.name for known in KNOWN if known.premise in ranked[known.name]}
    assert proved(tmp_path / "run") == offered
    assert 0 < len(offered) < len(KNOWN)
    assert all(section(one) == ranked[asked_about(one).name] for one in prompts)
    assert proved(tmp_path / "without") == set()
    assert prompts_without and all(section(one) == ["(none)"] for one in prompts_without)
    report = answered(cli, "eval", "report", tmp_path / "run", tmp_path / "without")
    assert [one["figures"]["proved"] for one in report] == [len(offered), 0]
    assert [one["settings"]["prompt_premises"] for one in report] == [200, 0]


def test_rows_and_reports_say_what_the_model_was_asked(cli: Cli, project: Path, tmp_path: Path) -> None:
    """Also a second pass, which has other seeds and so asks anew, and a run that goes on where it was stopped."""
    with serving(knowing) as served:
        asked = evaluation(project, tmp_path, served, "--premises", "2")
        succeed(cli, *asked, "--limit", "2")
        assert set(rows(tmp_path / "run")) == {"t0", "t1"}
        first = len(served.asked)
        succeed(cli, *asked, "--limit", "2", "--passes", "2", "--resume")
        changed = cli(*asked, "--model-tokens", "5000", "--resume")
    assert changed.returncode == 2 and "proof_tokens was 0 and is now 5000" in changed.stderr
    text = (tmp_path / "run" / "results.jsonl").read_text(encoding="utf-8")
    found = [json.loads(one) for one in text.splitlines()]
    assert [(row["name"], row.get("pass_number")) for row in found] == [
        ("t0", 1),
        ("t1", 1),
        ("t0", 2),
        ("t1", 2),
    ]
    assert len(served.asked) > first
    assert {body["seed"] for body in served.asked[:first]} <= set(range(4))
    assert {body["seed"] for body in served.asked[first:]} <= set(range(4, 8))
    for row in found:
        use = row["model"]
        assert row["status"] == "proved" and 1 <= use["requests"] <= 4
        assert 0 < use["seconds"] <= row["seconds"]
    report = answered(cli, "eval", "report", tmp_path / "run")[0]
    total, medians = report["figures"]["model"]["total"], report["figures"]["model"]["medians"]
    assert total["requests"] == sum(row["model"]["requests"] for row in found) == len(served.asked)
    assert total["answer_tokens"] == sum(row["model"]["answer_tokens"] for row in found)
    assert (
        70 <= medians["prompt_tokens"] <= 4 * 1000
        and report["settings"]["served"] == f"{served.url}#scripted"
    )
    shown = succeed(cli, "eval", "report", tmp_path / "run")
    assert "prompt tokens" in shown.stdout and "ours, generator, scripted" in shown.stdout
    assert f"about problems {report['settings']['data']}" in shown.stderr


def test_a_budget_ends_the_writing_and_the_search_goes_on(cli: Cli, project: Path, tmp_path: Path) -> None:
    """The first request may take, and takes, nearly all of it; a second one does not fit any more."""
    with serving(lambda call: call.text("```lean\nexact nothing\n```", tokens=(600, 1390))) as served:
        asked = evaluation(project, tmp_path, served, "--limit", "1", "--model-tokens", "2000")
        succeed(cli, *asked, "--tactics-from", "both")
        assert [body["max_tokens"] for body in served.asked] == [served.asked[0]["max_tokens"]]
        assert served.asked[0]["max_tokens"] < 2000
        place = f"{project / 'Work.lean'}:6"
        options = (
            "--generator",
            f"{served.url}#scripted",
            "--tactics-from",
            "generator",
            "--model-tokens",
            "2000",
        )
        done = cli("prove", place, *options, "--seconds", "20", "--no-imports", "--json")
    (row,) = rows(tmp_path / "run").values()
    assert row["status"] == "proved"
    answer = json.loads(done.stdout)
    assert done.returncode == 1 and answer["status"] == "not_proved"
    (warning,) = answer["warnings"]
    assert "2,000 tokens" in warning and "`models.proofTokens`" in warning
    assert answer["model"]["requests"] == 1
    assert (answer["model"]["prompt_tokens"], answer["model"]["answer_tokens"]) == (600, 1390)


def test_prove_with_premises_in_the_prompt_and_without(cli: Cli, project: Path) -> None:
    def answers(call: Call) -> None:
        proof = "exact Lib.plus_swap a b" if "Lib.plus_swap" in section(call.prompt) else "exact nothing"
        call.text(f"```lean\n{proof}\n```", tokens=(70, 11))

    with serving(answers) as served:
        asked = [
            "prove",
            f"{project / 'Work.lean'}:9",
            "--generator",
            f"{served.url}#scripted",
            "--no-imports",
        ]
        asked += ["--tactics-from", "generator", "--seconds", "20", "--json"]
        found = [json.loads(cli(*asked, *more).stdout) for more in ((), ("--prompt-premises", "0"))]
    assert [one["status"] for one in found] == ["proved", "not_proved"]
    assert "plus_swap" in found[0]["script"]
    requests = [one["model"]["requests"] for one in found]
    assert sum(requests) == len(served.asked)
    assert requests[1] == 4 + 1  # the samples, and a repair that says the same again
    assert found[1]["model"]["answer_tokens"] == 11 * requests[1] and not found[1]["model"]["is_estimate"]


def test_fill_says_once_that_the_budget_is_too_small(cli: Cli, project: Path) -> None:
    with serving(knowing) as served:
        options = (
            "--generator",
            f"{served.url}#scripted",
            "--tactics-from",
            "generator",
            "--model-tokens",
            "1",
        )
        done = cli("fill", project / "Work.lean", *options, "--no-imports", "--seconds", "2")
        assert served.asked == []
    assert done.stdout.count("its budget of 1 tokens") == 1 and "0 of 4 proved" in done.stdout


def test_a_server_that_is_lost_ends_the_run_and_no_row_is_wrong(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    with serving(lambda call: None) as gone:
        pass
    done = cli(*evaluation(project, tmp_path, gone))
    assert done.returncode == 1 and "No server answers" in done.stderr
    assert not (tmp_path / "run").exists()

    def forgetting(call: Call) -> None:
        if asked_about(call.prompt) is KNOWN[0] or has_model.is_set():
            knowing(call)
        else:
            call.whole(404, {"error": {"message": "model was removed"}})

    has_model = Event()
    with serving(forgetting) as served:
        asked = evaluation(project, tmp_path, served, "--premises", "2", "--limit", "2")
        done = cli(*asked)
        assert done.returncode == 1 and "model was removed" in done.stderr and "Traceback" not in done.stderr
        assert set(rows(tmp_path / "run")) == {"t0"}
        has_model.set()
        succeed(cli, *asked, "--resume")
    assert proved(tmp_path / "run") == {"t0", "t1"}


def test_what_a_model_cannot_be_asked(cli: Cli, project: Path, tmp_path: Path) -> None:
    asked = ["eval", "minif2f", "--data", data(tmp_path, KNOWN[0].line), "--project", project]
    for more, code, said in [
        (["--generator", "http://models.example/v1#m"], 1, "models.allowHosts"),
        (["--generator", "http://me:secret@127.0.0.1/v1#m"], 1, "models.keyVariable"),
        (
            ["--generator", "http://127.0.0.1:1/v1#m", "--tactics-from", "templates"],
            2,
            "has no effect on templates",
        ),
        (["--prompt-premises", "0"], 2, "for a model at a server"),
        (["--model-tokens", "0", "--generator", "http://127.0.0.1:1/v1#m"], 2, "not a whole number above 0"),
    ]:
        done = cli(*asked, *more, "--out", tmp_path / "run")
        assert (done.returncode, "secret" in done.stderr, "Traceback" in done.stderr) == (code, False, False)
        assert said in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("more", [(), ("--processes", "1"), ("--retriever", "none")])
def test_the_model_of_the_variable_is_asked(
    cli: Cli, project: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """As the user's own settings say; in another process, too; and without a retriever, it gets the goal alone."""
    if "--processes" in more:
        pytest.importorskip("distributed")
    settings = tmp_path / "config" / "premise-suggest" / "premise-suggest.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[models]\nsamples = 1\nrepairs = 0\n", encoding="utf-8")
    with serving(knowing) as served:
        asked = evaluation(project, tmp_path, served, "--limit", "1")
        place = asked.index("--generator")
        variables = {
            "PREMISE_SUGGEST_GENERATOR": f"{served.url}#scripted",
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
        }
        succeed(cli, *asked[:place], *asked[place + 2 :], *more, **variables)
        assert len(served.asked) == 1
    is_without = "none" in more
    assert (section(served.prompts[0]) == ["(none)"]) == is_without
    assert proved(tmp_path / "run") == (set() if is_without else {"t0"})
