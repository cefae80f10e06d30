"""The search page in a real browser."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.http.conftest import ADD_COMM, BUNDLED, TOKEN, Served

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
expect.set_options(timeout=60_000)  # the first search opens the index, on a machine that may be busy
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if BROWSER is None and not os.environ.get("CI"):
    pytest.skip("there is no chromium on this machine", allow_module_level=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, server: Served) -> Iterator[Any]:
    """A page of the server; whatever it asks elsewhere, or complains of, fails the test."""
    context = browser.new_context(base_url=server.url)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda one: one.url.startswith(server.url) or troubles.append(one.url))
    yield opened
    context.close()
    assert [one for one in troubles if "status of 400" not in one] == []


def search(page: Any, query: str) -> None:
    page.get_by_label("Goal, name, words or pattern").fill(query)
    page.get_by_role("button", name="Search").click()


def first_name(page: Any) -> Any:
    return page.locator("#list li .name").first


def test_a_goal_is_searched_and_its_link_shows_it_again(page: Any, browser: Any, server: Served) -> None:
    page.goto("/")
    search(page, ADD_COMM)
    expect(first_name(page)).to_have_text("Nat.add_comm")
    expect(page.get_by_role("status")).to_contain_text("32 premises, best first. Read as a goal.")
    expect(page.locator("#list li pre").first).to_contain_text("m + n = n + m")
    expect(page.locator("#list li .doc").first).to_have_text("Addition is commutative.")
    expect(page.locator("#list li").first).to_contain_text("why: ")
    expect(page.locator("#index")).to_contain_text("Lean 4.35.0")
    link = page.url
    assert "query=m+n" in link
    other = browser.new_page()
    other.goto(link)
    expect(first_name(other)).to_have_text("Nat.add_comm")
    expect(other.get_by_label("Goal, name, words or pattern")).to_have_value(ADD_COMM)
    other.close()


def test_a_pattern_is_searched_and_a_broken_one_is_told_with_its_place(page: Any) -> None:
    page.goto("/")
    search(page, "?a + ?b = ?b + ?a")
    expect(first_name(page)).to_have_text("Nat.add_comm")
    expect(page.get_by_role("status")).to_contain_text("Read as a pattern.")
    search(page, "?a + (_ = _")
    expect(page.get_by_role("status")).to_contain_text("column 6")


@pytest.mark.parametrize("keys", ["Enter", "Control+Enter"])
def test_a_name_is_searched_with_the_keyboard_alone(page: Any, keys: str) -> None:
    page.goto("/")
    expect(page.get_by_label("Goal, name, words or pattern")).to_be_focused()
    page.keyboard.type("Nat.add_comm")
    page.keyboard.press(keys)
    expect(first_name(page)).to_have_text("Nat.add_comm")
    expect(page.get_by_role("status")).to_contain_text("Read as a name.")


def test_a_goal_of_two_lines_is_typed(page: Any) -> None:
    page.goto("/")
    page.keyboard.type("m n : Nat")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("⊢ m + n = n + m")
    page.keyboard.press("Enter")
    expect(first_name(page)).to_have_text("Nat.add_comm")
    expect(page.get_by_label("Goal, name, words or pattern")).to_have_value(ADD_COMM)


def test_the_keyboard_moves_through_the_results(page: Any) -> None:
    page.goto("/?query=Nat.add_comm&k=3")
    expect(first_name(page)).to_be_visible()
    query, stops = (
        page.get_by_label("Goal, name, words or pattern"),
        page.locator("#list li .head > :is(a, button):first-of-type"),
    )
    page.keyboard.press("ArrowDown")
    expect(stops.nth(0)).to_be_focused()
    assert outline_of(stops.nth(0)) == "solid"
    page.keyboard.press("j")
    expect(stops.nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    expect(query).to_be_focused()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="More results")).to_be_focused()
    page.keyboard.press("/")
    expect(query).to_be_focused()
    expect(query).to_have_value("Nat.add_comm")


def outline_of(element: Any) -> str:
    return str(element.evaluate("one => getComputedStyle(one).outlineStyle"))


def test_arrows_move_within_a_query_of_several_lines(page: Any) -> None:
    page.goto("/?query=a%0Ab%0A%E2%8A%A2+a+%2B+b+%3D+b+%2B+a")
    query = page.get_by_label("Goal, name, words or pattern")
    query.evaluate("one => one.setSelectionRange(0, 0)")
    page.keyboard.press("ArrowDown")
    expect(query).to_be_focused()


def test_the_source_of_an_own_result_opens_and_closes_with_the_keyboard(page: Any, library: Path) -> None:
    page.goto("/?query=Nat.add_comm")
    expect(first_name(page)).to_have_text("Nat.add_comm")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    source = page.get_by_role("region", name="Source of Nat.add_comm")
    expect(source.locator("pre")).to_have_text(re.compile("^protected theorem add_comm"))
    expect(source.locator(".doc")).to_have_text("Addition is commutative.")
    link = str(source.get_by_role("link", name="Open in VS Code").get_attribute("href"))
    file, _, line = link.removeprefix("vscode://file").rpartition(":")
    assert Path(file).is_relative_to(library)
    text = Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1 :]
    assert text[0].startswith("/--") and "theorem add_comm" in text[1]
    expect(source).to_contain_text(f"{file}:{line}")
    page.keyboard.press("Escape")
    expect(source).to_have_count(0)
    button = page.get_by_role("button", name="Show source of Nat.add_comm", exact=True)
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Goal, name, words or pattern")).to_be_focused()


def test_a_result_is_read_by_rules_where_its_source_is_shown(page: Any) -> None:
    page.goto("/?query=Subgroup.mul_mem")
    page.get_by_role("button", name="Show source of Subgroup.mul_mem", exact=True).click()
    reading = "Read by rules: Let G be a group. If a is in H and b is in H, then a * b is in H."
    expect(page.get_by_role("region", name="Source of Subgroup.mul_mem").locator(".reading")).to_have_text(
        reading
    )


def test_who_uses_a_result_is_listed_with_files_and_links(page: Any, library: Path) -> None:
    page.goto("/?query=Nat.add_comm")
    page.get_by_role("button", name="Who uses Nat.add_comm", exact=True).click()
    panel = page.get_by_role("region", name="Uses of Nat.add_comm")
    expect(panel).to_contain_text(re.compile(r"Used by \d+ proofs"))
    expect(panel).to_contain_text(re.compile("Its proof (uses|names)"))
    user = panel.get_by_role("listitem").filter(has_text="pow_mul_comm")
    expect(user.locator(".where")).to_have_text(re.compile(rf"^{re.escape(str(library))}/.*\.lean:\d+$"))
    user.get_by_role("link").click()
    expect(page.get_by_label("Goal, name, words or pattern")).to_have_value("pow_mul_comm")
    expect(first_name(page)).to_have_text("pow_mul_comm")


def test_what_is_like_a_result_is_a_click_away(page: Any) -> None:
    page.goto("/?query=Nat.add_comm")
    page.get_by_role("link", name="More like Nat.add_comm", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?query=like%3ANat.add_comm$"))
    expect(first_name(page)).to_be_visible()
    assert "Nat.add_comm" not in page.locator("#list li .name").all_text_contents()
    expect(page.get_by_label("Goal, name, words or pattern")).to_have_value("like:Nat.add_comm")


def test_a_source_that_cannot_be_read_is_reported_in_its_place(page: Any) -> None:
    page.goto("/?query=Nat.add_comm")
    problem = '{"error": "The index is gone.", "schema": {"description": "Index again."}}'
    page.route("**/api/declaration?*", lambda route: route.fulfill(status=400, body=problem))
    page.get_by_role("button", name="Show source of Nat.add_comm", exact=True).click()
    expect(page.get_by_role("region", name="Source of")).to_have_text("The index is gone. Index again.")


@pytest.mark.parametrize("number", range(4), ids=["words", "name", "pattern", "goal"])
def test_each_example_finds_something_in_the_bundled_index(page: Any, number: int) -> None:
    page.goto(f"/?rev={BUNDLED}")
    links = page.get_by_role("region", name="Examples").get_by_role("link")
    expect(links).to_have_count(4)
    links.nth(number).click()
    expect(first_name(page)).to_be_visible()
    expect(page.get_by_role("region", name="Examples")).to_have_count(0)
    kind = ["words", "a name", "a pattern", "a goal"][number]
    expect(page.get_by_role("status")).to_contain_text(f"Read as {kind}.")
    expect(page.get_by_role("button", name=re.compile("^Show source"))).to_have_count(0)  # it has names only
    page.go_back()
    expect(links.nth(number)).to_be_visible()
    expect(page.locator("#list li")).to_have_count(0)


def test_a_query_is_read_another_way_by_a_button_and_a_link(page: Any) -> None:
    page.goto("/?query=add")
    expect(page.get_by_role("status")).to_contain_text("Read as words.")
    page.get_by_role("button", name="Read it as a name").click()
    expect(page.get_by_role("status")).to_contain_text("Read as a name.")
    assert "as=name" in page.url
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Read as a name.")


def test_more_results_come_below_and_have_a_link(page: Any) -> None:
    page.set_viewport_size({"width": 640, "height": 400})
    page.goto("/?query=add&k=5")
    more, items = page.get_by_role("button", name="More results"), page.locator("#list li")
    expect(items).to_have_count(5)
    first = items.locator(".name").all_text_contents()
    more.focus()
    top = page.evaluate("scrollY")
    page.keyboard.press("Enter")
    expect(items).to_have_count(10)
    expect(items.nth(5).locator("a, button").first).to_be_focused()
    assert items.locator(".name").all_text_contents()[:5] == first
    assert page.evaluate("scrollY") >= top > 0
    expect(page).to_have_url(re.compile("k=5&page=2$"))
    expect(page.get_by_role("status")).to_contain_text("10 premises")
    page.reload()
    expect(items).to_have_count(10)
    page.go_back()
    expect(items).to_have_count(5)
    expect(page).to_have_url(re.compile("k=5$"))
    page.go_forward()
    expect(items).to_have_count(10)
    search(page, "add")  # begins at the first page again
    expect(items).to_have_count(5)


def test_more_results_are_those_of_the_last_search_and_typed_text_stays(page: Any, server: Served) -> None:
    page.goto("/?query=add&k=5")
    items = page.locator("#list li")
    expect(items).to_have_count(5)
    page.get_by_label("Goal, name, words or pattern").fill("mul")
    page.get_by_role("button", name="More results").click()
    expect(items).to_have_count(10)
    answer = server.get("/api/premises", query="add", k=10).json()
    assert items.locator(".name").all_text_contents() == [one["name"] for one in answer["premises"]]
    expect(page).to_have_url(re.compile(r"\?query=add&k=5&page=2$"))
    expect(page).to_have_title("add · Premise search")
    expect(page.get_by_label("Goal, name, words or pattern")).to_have_value("mul")


def test_a_result_is_left_and_found_again_where_it_was(page: Any, server: Served) -> None:
    page.goto(f"/?query=add&k=60&rev={BUNDLED}")
    expect(page.locator("#list li")).to_have_count(60)
    page.route("https://**", lambda route: route.fulfill(body="elsewhere"))
    page.locator("#list li a").nth(40).evaluate(f"link => link.href = '{server.url}/docs'")
    page.locator("#list li a").nth(40).click()
    expect(page.get_by_role("heading", name="API", exact=True)).to_be_visible()
    page.go_back()
    expect(page.locator("#list li a").nth(40)).to_be_in_viewport()


def test_there_are_no_more_results_than_the_server_lists(page: Any) -> None:
    page.goto(f"/?query=add&k=200&page=999&rev={BUNDLED}")
    expect(page.get_by_role("status")).to_contain_text("1000 premises")
    expect(page.get_by_role("button", name="More results")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), [(320, 640), (640, 400)])
def test_nothing_is_cut_off_in_a_small_window(page: Any, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/")
    expect(page.get_by_role("region", name="Examples")).to_be_visible()
    assert overflow(page) <= 0
    page.get_by_text("Filters").click()
    search(page, ADD_COMM)
    page.get_by_role("button", name="Show source of Nat.add_comm", exact=True).click()
    expect(page.get_by_role("region", name="Source of Nat.add_comm").locator("pre")).to_be_visible()
    assert overflow(page) <= 0


def overflow(page: Any) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_nothing_moves_while_results_come(page: Any) -> None:
    shifts = """window.shifts = []; new PerformanceObserver(list => window.shifts.push(...list.getEntries().map(
        one => one.sources.map(({node}) => node?.id || node?.nodeName)
    ))).observe({type: "layout-shift", buffered: true})"""
    page.add_init_script(shifts)
    page.goto("/?query=add_comm")
    expect(first_name(page)).to_be_visible()
    held: list[Any] = []
    page.route("**/api/premises?*", lambda route: held.append(route))
    places = (
        "[...document.querySelectorAll('#list li')].slice(0, 3).map(one => one.getBoundingClientRect().top)"
    )
    before = page.evaluate(places)
    with page.expect_request("**/api/premises?*"):
        search(page, "mul_comm")
    expect(page.get_by_role("status")).to_contain_text("Searching …")
    assert page.evaluate(places) == before
    held[0].continue_()
    expect(first_name(page)).to_have_text(re.compile("mul_comm"))
    assert page.evaluate("window.shifts") == []


def test_long_goals_are_searched(page: Any) -> None:
    page.goto("/")
    search(page, "".join(f"h{n} : a + {n} = {n} + a\n" for n in range(150)) + "⊢ m + n = n + m")
    expect(page.get_by_role("status")).to_contain_text("Read as a goal.")


def test_the_filters_restrict_what_is_found(page: Any) -> None:
    page.goto("/")
    page.get_by_text("Filters").click()
    page.get_by_label("Only from modules").fill("Example.Nat")
    search(page, ADD_COMM)
    expect(first_name(page)).to_be_visible()
    modules = page.locator("#list li .where code:first-of-type").all_text_contents()
    assert modules and all(module.startswith("Example.Nat") for module in modules)
    page.get_by_label("Only from modules").fill("No.Such.Module")
    search(page, ADD_COMM)
    expect(page.get_by_role("status")).to_contain_text("No good match.")
    assert "module=No.Such.Module" in page.url


def test_imports_tell_what_is_in_scope(page: Any) -> None:
    page.goto("/")
    page.get_by_text("Filters").click()
    page.get_by_label("For a file that imports").fill("Example.Logic.Basic")
    search(page, ADD_COMM)
    add_comm = page.locator("#list li", has=page.locator(".name", has_text=re.compile("^Nat.add_comm$")))
    expect(add_comm.locator(".tag")).to_have_text(re.compile(r"import \S+"))
    page.get_by_label("Only what is in scope in that file").check()
    search(page, ADD_COMM)
    expect(page).to_have_url(re.compile("in_scope=true"))
    expect(add_comm).to_have_count(0)
    tags = page.locator("#list li .tag")
    expect(tags.first).to_have_text("in scope")
    assert set(tags.all_text_contents()) == {"in scope"}


def test_the_bundled_mathlib_can_be_chosen_and_links_to_its_documentation(page: Any) -> None:
    page.goto(f"/?rev={BUNDLED}")
    expect(page.get_by_label("Index")).to_have_value(BUNDLED)
    search(page, "add_comm")
    expect(first_name(page)).to_have_text("add_comm")
    link = page.locator("#list li a").first
    assert str(link.get_attribute("href")).startswith("https://leanprover-community.github.io/mathlib4_docs/")


def test_an_error_is_told_and_the_next_search_works(page: Any) -> None:
    page.goto("/?query=add&rev=v4.1.0")
    expect(page.get_by_role("status")).to_contain_text("revision is not indexed here")
    page.get_by_label("Index").select_option("")
    search(page, ADD_COMM)
    expect(first_name(page)).to_have_text("Nat.add_comm")
    page.go_back()
    expect(page.get_by_role("status")).to_contain_text("revision is not indexed here")


def test_what_is_typed_before_the_indexes_are_listed_stays(page: Any) -> None:
    held: list[Any] = []
    page.route("**/api/revisions", lambda route: held.append(route))
    with page.expect_request("**/api/revisions"):
        page.goto("/")
    page.get_by_label("Goal, name, words or pattern").fill(ADD_COMM)
    with page.expect_response("**/api/revisions"):
        held[0].continue_()
    expect(page.locator("#rev option").first).to_contain_text("(default)")
    expect(page.get_by_label("Goal, name, words or pattern")).to_have_value(ADD_COMM)
    page.get_by_role("button", name="Search").click()
    expect(first_name(page)).to_have_text("Nat.add_comm")


def test_text_of_a_query_or_of_a_doc_string_is_never_markup(page: Any) -> None:
    page.goto("/")
    search(page, "<img src=x onerror=alert(1)> ⊢ <b>a</b> = a")
    expect(page.get_by_role("status")).not_to_have_text("Searching …")
    assert page.locator("main img, main b").count() == 0
    search(page, "marked_up")
    expect(page.locator("#list li .doc").first).to_have_text("<img src=x onerror=alert(1)> <b>bold</b>.")
    assert page.locator("main img, main b").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_in_light_and_dark(page: Any, scheme: str) -> None:
    """The contrast of text, links and errors against the page, as WCAG 2 counts it."""
    page.emulate_media(color_scheme=scheme)
    page.goto("/?query=add_comm")
    expect(first_name(page)).to_be_visible()
    style = "getComputedStyle(document.documentElement).getPropertyValue"
    names = ["text", "quiet", "link", "good", "bad", "page"]
    colours = [page.evaluate(f"{style}('--{name}')").strip() for name in names]
    background = luminance(colours.pop())
    for colour in colours:
        lighter, darker = sorted((luminance(colour), background), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (scheme, colour)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_field_has_a_name_for_screen_readers(page: Any) -> None:
    page.goto("/?query=add_comm&module=Example")
    expect(first_name(page)).to_be_visible()
    unnamed = (
        "[...document.querySelectorAll('input, select, textarea')].filter(one => !one.labels.length).length"
    )
    assert page.evaluate(unnamed) == 0
    assert page.locator("html").get_attribute("lang") == "en"
    expect(page.get_by_role("button", name=re.compile("^Copy .*add_comm")).first).to_be_visible()


def test_the_interfaces_are_listed(page: Any) -> None:
    page.goto("/docs")
    for path in ("GET /api/search", "POST /retrieve", "POST /generate", "GET /indexed-modules"):
        expect(page.get_by_role("heading", name=path)).to_be_visible()


def test_the_page_works_with_a_token(browser: Any, open_server: Served) -> None:
    context = browser.new_context(
        base_url=open_server.url, http_credentials={"username": "x", "password": TOKEN}
    )
    page = context.new_page()
    page.goto("/")
    search(page, ADD_COMM)
    expect(page.get_by_role("status")).not_to_be_empty()
    context.close()
