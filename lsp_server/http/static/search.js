// The search page: the address bar holds the search, so that a link to it can be shared.
import { copy, element, say } from "/static/elements.js";
import { closeSource, documentItem, focusOn, premiseItem } from "/static/results.js";

const FIELDS = ["query", "module", "imports", "in_scope", "rev", "k"];
const DEFAULT_COUNT = "32";
/** The most results that the server lists. */
const MOST = 1000;
/** What an option's value begins with where it is a collection of another backend. */
const COLLECTION = "collection/";
const IDS = ["search", "list", "results", "index", "share", "filters", "examples", "more", "reread", ...FIELDS];
const page = Object.fromEntries(IDS.map((id) => [id, document.getElementById(id)]));
/** What a query can be read as. */
const KINDS = { words: "words", name: "a name", goal: "a goal", pattern: "a pattern" };
let running = null;
/** What was searched for last; the form may hold something else by now. */
let searched = new URLSearchParams();
/** How many times as many results as "How many" says are shown. */
let pages = 1;

/** The form's fields that differ from their defaults, as a URL's query. */
function parameters() {
  const found = new URLSearchParams();
  found.set("query", page.query.value);
  for (const name of ["module", "imports"]) {
    if (page[name].value.trim()) found.set(name, page[name].value.trim());
  }
  if (page.in_scope.checked) found.set("in_scope", "true");
  if (page.rev.value) found.set("rev", page.rev.value);
  if (page.k.value && page.k.value !== DEFAULT_COUNT) found.set("k", page.k.value);
  return found;
}

/** By what the page of this search is reached. */
function address() {
  const found = new URLSearchParams(searched);
  if (pages > 1) found.set("page", pages);
  return `/?${found}`;
}

/** How many results are requested. */
function wanted() {
  const count = Math.floor(Number(searched.get("k") ?? DEFAULT_COUNT)) || Number(DEFAULT_COUNT);
  return Math.min(Math.max(count, 1) * pages, MOST);
}

/** Put what the address holds into the form. */
function restore(address) {
  const given = new URLSearchParams(address);
  page.query.value = given.get("query") ?? "";
  page.module.value = given.get("module") ?? "";
  page.imports.value = given.get("imports") ?? "";
  page.in_scope.checked = given.get("in_scope") === "true";
  page.k.value = given.get("k") ?? DEFAULT_COUNT;
  pages = Math.min(Math.max(Math.floor(Number(given.get("page"))) || 1, 1), MOST);
  choose(given.get("rev") ?? "");
  if (["module", "imports", "in_scope", "rev"].some((name) => given.get(name))) page.filters.open = true;
}

/** Choose an index, which the list may not have yet, or at all. */
function choose(revision) {
  if (!optionOf(revision)) page.rev.append(element("option", revision, { value: revision }));
  page.rev.value = revision;
}

function optionOf(revision) {
  return [...page.rev.options].find((option) => option.value === revision);
}

/** The path of the interface of the collection that is searched; empty where an index of Lean premises is. */
function collectionPath() {
  const rev = searched.get("rev") ?? "";
  return rev.startsWith(COLLECTION) ? `/api/collections/${rev.slice(COLLECTION.length)}` : "";
}

/** Show these results; those that are shown already keep their places where more were requested. */
function list(items, isMore) {
  const known = new Set([...page.list.children].map((item) => item.dataset.key));
  const added = isMore ? items.filter((item) => !known.has(item.dataset.key)) : items;
  if (isMore) page.list.append(...added);
  else page.list.replaceChildren(...added);
  if (isMore && document.activeElement === page.more) focusOn(added[0]);
  page.more.hidden = items.length < wanted() || wanted() >= MOST;
  page.share.hidden = false;
}

function showDocuments(answer, isMore) {
  list(answer.hits.map(documentItem), isMore);
  page.reread.hidden = true;
  say(counted("document"), { notes: answer.warnings });
  page.index.textContent = `${answer.collection} (${answer.backend}): ${answer.documents} documents`;
}

function showPremises(answer, isMore) {
  list(
    answer.premises.map((premise) => premiseItem(premise, searched.get("rev"))),
    isMore,
  );
  page.reread.hidden = answer.other_kind === null;
  page.reread.value = answer.other_kind ?? "";
  page.reread.textContent = `Read it as ${KINDS[answer.other_kind]}`;
  say(`${counted("premise")} Read as ${KINDS[answer.kind]}.`, { notes: [...answer.warnings, ...answer.notes] });
  page.index.textContent = answer.index.line;
}

function counted(noun) {
  const count = page.list.children.length;
  return count === 0 ? "No good match." : `${count} ${noun}${count === 1 ? "" : "s"}, best first.`;
}

/** Show the results of a search. Before the answer comes, what is shown stays in its place. */
async function search({ isMore = false } = {}) {
  running?.abort();
  const mine = (running = new AbortController());
  document.getElementById("line").textContent = "Searching …";
  page.results.setAttribute("aria-busy", "true");
  page.examples.hidden = true;
  const collection = collectionPath();
  const asked = new URLSearchParams(searched);
  asked.set("k", wanted());
  if (!collection) asked.set("explain", "true");
  try {
    const response = await fetch(`${collection || "/api/premises"}?${asked}`, { signal: mine.signal });
    const answer = await response.json();
    if (response.ok) (collection ? showDocuments : showPremises)(answer, isMore);
    else fail(`${answer.error} ${answer.schema.description}`);
  } catch (error) {
    if (mine.signal.aborted) return;
    fail(`The server did not answer (${error.message}). Is it still running?`);
  }
  if (running === mine) page.results.removeAttribute("aria-busy");
}

function fail(text) {
  page.list.replaceChildren();
  page.share.hidden = page.more.hidden = page.reread.hidden = true;
  say(text, { isError: true });
}

/** Show what the address holds, where it was left. */
async function arrive() {
  restore(location.search);
  searched = parameters();
  const kind = new URLSearchParams(location.search).get("as");
  if (kind) searched.set("as", kind);
  const isEmpty = page.query.value.trim() === "";
  page.examples.hidden = !isEmpty;
  entitle();
  if (isEmpty) {
    running?.abort();
    fail("");
  } else await search();
  if (history.state) window.scrollTo(0, history.state.scroll);
}

/** Search, and give the search an entry of its own in the history. */
function go(isMore) {
  if (address() !== location.pathname + location.search) history.pushState(null, "", address());
  entitle();
  search({ isMore });
}

function entitle() {
  const query = (searched.get("query") ?? "").trim().split("\n").pop();
  document.title = query ? `${query.slice(0, 60)} · Premise search` : "Premise search";
}

async function listIndexes() {
  const response = await fetch("/api/revisions");
  if (!response.ok) return;
  for (const [place, one] of (await response.json()).entries()) {
    const revision = one.revisions[0];
    if (place === 0) page.rev.options[0].textContent = `${one.name} (default)`;
    else if (revision && optionOf(revision)) optionOf(revision).textContent = one.name;
    else if (revision) page.rev.append(element("option", one.name, { value: revision }));
  }
}

async function listCollections() {
  const response = await fetch("/api/collections");
  if (!response.ok) return;
  for (const one of await response.json()) {
    const value = `${COLLECTION}${encodeURIComponent(one.backend)}/${encodeURIComponent(one.name)}`;
    const name = `${one.name} (${one.backend}): ${one.about}`;
    if (optionOf(value)) optionOf(value).textContent = name;
    else page.rev.append(element("option", name, { value }));
  }
}

/** Move the focus by so many places: from the query to the first result, from the last to the button for more. */
function move(step) {
  const stops = [page.query, ...page.list.children, ...(page.more.hidden ? [] : [page.more])];
  const place = stops.findIndex((stop) => stop.contains(document.activeElement));
  focusOn(stops[Math.min(Math.max(place, 0) + step, stops.length - 1)]);
}

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Keys outside of the form's fields. */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const step = STEPS[event.key];
  const isHere = page.results.contains(document.activeElement);
  if (step && page.list.hasChildNodes() && (isHere || step > 0)) move(step);
  else if (event.key === "/") page.query.focus();
  else if (event.key === "Escape" && !closeSource(event.target)) page.query.focus();
  else if (event.key !== "Escape") return;
  event.preventDefault();
}

function onQueryKey(event) {
  if (event.isComposing) return;
  const isLastLine = !page.query.value.slice(page.query.selectionEnd).includes("\n");
  if (event.key === "Enter" && !event.shiftKey) page.search.requestSubmit();
  else if (event.key === "ArrowDown" && isLastLine && page.list.hasChildNodes()) move(1);
  else return;
  event.preventDefault();
}

page.search.addEventListener("submit", (event) => {
  event.preventDefault();
  searched = parameters();
  pages = 1;
  go(false);
});
page.more.addEventListener("click", () => {
  pages += 1;
  go(true);
});
page.reread.addEventListener("click", () => {
  searched.set("as", page.reread.value);
  pages = 1;
  go(false);
});
page.examples.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return; // to another tab
  event.preventDefault();
  page.query.value = new URLSearchParams(link.search).get("query");
  page.query.focus();
  page.search.requestSubmit();
});
page.query.addEventListener("keydown", onQueryKey);
document.addEventListener("keydown", onKey);
page.share.addEventListener("click", () => copy(page.share, location.href));
// The browser's own way does not know that results come later.
history.scrollRestoration = "manual";
document.addEventListener("click", () => history.replaceState({ scroll: window.scrollY }, ""), { capture: true });
window.addEventListener("popstate", arrive);

// First the form: what is typed while the list of indexes comes must stay.
arrive();
Promise.all([listIndexes(), listCollections()]).catch(() =>
  say("The list of indexes could not be read. The default index is searched.", { isError: true }),
);
