"""`premise-suggest http` as a command: what it says when it cannot start, and how it ends."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.commands.common import OneLine
from tests.http.conftest import Served, run, serving


def test_a_port_that_is_taken_is_said(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(environment, "http", "--port", str(port))
    assert done.returncode == 2
    assert f"Port {port} of 127.0.0.1 cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert done.stdout == ""


def test_beyond_loopback_it_does_not_start_without_a_token(environment: dict[str, str]) -> None:
    done = run(environment, "http", "--port", "0", "--host", "0.0.0.0")
    assert done.returncode == 2
    assert "no token is set" in done.stderr and "PREMISE_SUGGEST_TOKEN" in done.stderr


@pytest.mark.parametrize("token", ["töken", "a\nb"])
def test_a_token_that_no_header_can_hold_is_refused(environment: dict[str, str], token: str) -> None:
    assert "token" in run(environment, "http", "--port", "0", "--token", token).stderr


def test_a_host_that_is_none_is_said(environment: dict[str, str]) -> None:
    done = run(environment, "http", "--port", "0", "--host", "203.0.113.7", "--token", "x")
    assert done.returncode == 2
    assert "203.0.113.7" in done.stderr


def test_a_project_without_an_index_is_said_before_anything_listens(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "empty"\n', encoding="utf-8")
    done = run(environment, "http", "--port", "0", "--project", tmp_path)
    assert done.returncode == 1
    assert "There is no premise index" in done.stderr and "premise-suggest index" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_what_is_not_installed_is_said_with_the_line_that_mends_it(
    environment: dict[str, str], missing: str
) -> None:
    without = f"import sys; sys.modules['{missing}'] = None"
    code = f"{without}; from lsp_server.cli import main; sys.exit(main(['http']))"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert missing in done.stderr
    assert "pip install 'premise-suggest[http]'" in done.stderr


def test_it_ends_when_it_is_told_to(environment: dict[str, str], library: Path) -> None:
    with serving(environment, "--project", library) as server:
        server.client.get("/healthz")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(20) == 130


def test_a_further_revision_is_answered_where_it_is_asked_for(
    environment: dict[str, str], library: Path
) -> None:
    with serving(environment, "--project", library, "--rev", "v4.22.0", "--token", "secret") as server:
        client = server.client
        assert client.get("/api/search").status_code == 401
        client.auth = ("any", "secret")
        found = client.get("/api/search", params={"query": "n : Nat\n⊢ n + 0 = n", "rev": "v4.22.0"})
        assert found.status_code == 200 and found.json()[0]["rev"] == "v4.22.0"
        listed = client.get("/api/revisions").json()
        assert "v4.22.0" in listed[0]["revisions"] and len(listed) == 2


def test_a_project_that_is_indexed_anew_is_served_anew(
    environment: dict[str, str], server: Served, library: Path
) -> None:
    """New premises are found at once, and the numbers that were given out keep their meaning."""
    before = server.client.get("/indexed-premises").json()
    file = library / "Example" / "Later.lean"
    file.write_text("theorem much_later (n : Nat) : n * 7919 = 7919 * n := sorry\n", encoding="utf-8")
    try:
        assert run(environment, "index", library).returncode == 0
        found = server.retrieve(state="n : Nat\n⊢ n * 7919 = 7919 * n", k=3)
        assert "much_later" in [one["name"] for one in found]
        after = server.client.get("/indexed-premises").json()
        assert after[: len(before)] == before
        assert after[len(before) :] == ["much_later"]
    finally:
        file.unlink()
        assert run(environment, "index", library).returncode == 0
    assert server.client.get("/indexed-premises").json() == after


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is not set up")
def test_every_address_of_loopback_answers_under_its_own_name(
    environment: dict[str, str], library: Path
) -> None:
    with serving(environment, "--project", library, "--host", "127.0.0.2") as server:
        assert server.get("/healthz").status_code == 200
        assert server.client.get("/healthz", headers={"Host": "evil.example"}).status_code == 403


def test_a_message_stays_on_its_line_and_changes_no_terminal() -> None:
    record = logging.LogRecord("n", logging.ERROR, "", 0, "a\r\n2026 ERROR \x1b[31m%s\u202e", ("\x00",), None)
    assert OneLine("%(message)s").format(record) == r"a\x0d\x0a2026 ERROR \x1b[31m\x00\u202e"
