// The search page: the address bar holds the search, so that a link to it can be shared.
"use strict";

const FIELDS = ["query", "module", "imports", "in_scope", "rev", "k"];
const DEFAULT_COUNT = "32";
/** What an option's value begins with where it is a collection of another backend. */
const COLLECTION = "collection/";
const page = Object.fromEntries(
  ["search", "status", "list", "results", "index", "share", "filters", ...FIELDS].map((id) => [
    id,
    document.getElementById(id),
  ]),
);
let running = null;

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

/** Put what the address holds into the form. */
function restore(address) {
  const given = new URLSearchParams(address);
  page.query.value = given.get("query") ?? "";
  page.module.value = given.get("module") ?? "";
  page.imports.value = given.get("imports") ?? "";
  page.in_scope.checked = given.get("in_scope") === "true";
  page.k.value = given.get("k") ?? DEFAULT_COUNT;
  choose(given.get("rev") ?? "");
  if (["module", "imports", "in_scope", "rev"].some((name) => given.get(name))) page.filters.open = true;
  return page.query.value.trim() !== "";
}

/** Choose an index, which the list may not have yet, or at all. */
function choose(revision) {
  if (!optionOf(revision)) page.rev.append(element("option", revision, { value: revision }));
  page.rev.value = revision;
}

function optionOf(revision) {
  return [...page.rev.options].find((option) => option.value === revision);
}

/** The path of the chosen collection's interface; empty where an index of Lean premises is chosen. */
function collectionPath() {
  return page.rev.value.startsWith(COLLECTION) ? `/api/collections/${page.rev.value.slice(COLLECTION.length)}` : "";
}

/** An element with text; text never becomes markup. */
function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function scopeOf(premise) {
  if (premise.in_scope === null) return null;
  if (premise.in_scope) return element("span", "in scope", { class: "tag good" });
  return element("code", premise.import ?? "not in scope", { class: "tag" });
}

function shown(premise) {
  const item = element("li");
  const head = element("p", "", { class: "head" });
  const name = element("code", premise.name, { class: "name" });
  if (premise.doc_url) {
    const link = element("a", "", { href: premise.doc_url, rel: "noreferrer noopener" });
    link.append(name);
    head.append(link);
  } else {
    head.append(name);
  }
  const copy = element("button", "Copy", { type: "button", "aria-label": `Copy ${premise.name}` });
  copy.addEventListener("click", () => copied(copy, premise.name));
  head.append(" ", copy);
  item.append(head);
  if (premise.statement) item.append(element("pre", premise.statement));
  const where = element("p", "", { class: "where" });
  where.append(element("span", premise.kind), " in ", element("code", premise.module));
  const scope = scopeOf(premise);
  if (scope) where.append(" ", scope);
  item.append(where);
  if (premise.why) item.append(element("p", `why: ${premise.why}`, { class: "where" }));
  return item;
}

async function copied(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    page.status.textContent = `The browser did not allow copying. Copy it from here: ${text}`;
    return;
  }
  button.addEventListener("blur", () => (button.textContent = before), { once: true });
}

function say(text, isError = false) {
  page.status.textContent = text;
  page.status.classList.toggle("error", isError);
}

function shownDocument(hit) {
  const item = element("li");
  const head = element("p", "", { class: "head" });
  const copy = element("button", "Copy", { type: "button", "aria-label": `Copy ${hit.title}` });
  copy.addEventListener("click", () => copied(copy, hit.title));
  head.append(element("code", hit.title, { class: "name" }), " ", copy);
  item.append(head, element("pre", hit.body));
  const where = element("p", hit.kind, { class: "where" });
  if (hit.where) where.append(" in ", element("code", hit.where));
  item.append(where);
  return item;
}

function showDocuments(answer) {
  page.list.replaceChildren(...answer.hits.map(shownDocument));
  const count = answer.hits.length;
  const found = count === 0 ? "No good match." : `${count} document${count === 1 ? "" : "s"}, best first.`;
  say([found, ...answer.warnings].join(" "));
  page.index.textContent = `${answer.collection} (${answer.backend}): ${answer.documents} documents`;
  page.share.hidden = false;
}

function show(answer) {
  page.list.replaceChildren(...answer.premises.map(shown));
  const count = answer.premises.length;
  const found = count === 0 ? "No good match." : `${count} premise${count === 1 ? "" : "s"}, best first.`;
  const kind = { goal: "Read as a goal.", pattern: "Read as a pattern.", text: "Read as text." }[answer.kind];
  say([found, kind, ...answer.warnings, ...answer.notes].join(" "));
  page.index.textContent = answer.index.line;
  page.share.hidden = false;
}

async function search() {
  running?.abort();
  const mine = (running = new AbortController());
  say("Searching …");
  page.results.setAttribute("aria-busy", "true");
  try {
    const collection = collectionPath();
    const response = await fetch(collection ? `${collection}?${parameters()}` : `/api/premises?${parameters()}&explain=true`, { signal: mine.signal });
    const answer = await response.json();
    if (response.ok) (collection ? showDocuments : show)(answer);
    else fail(`${answer.error} ${answer.schema.description}`);
  } catch (error) {
    if (mine.signal.aborted) return;
    fail(`The server did not answer (${error.message}). Is it still running?`);
  }
  if (running === mine) page.results.removeAttribute("aria-busy");
}

function fail(text) {
  page.list.replaceChildren();
  page.share.hidden = true;
  say(text, true);
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

page.search.addEventListener("submit", (event) => {
  event.preventDefault();
  history.pushState(null, "", `/?${parameters()}`);
  search();
});
page.query.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) page.search.requestSubmit();
});
page.share.addEventListener("click", () => copied(page.share, location.href));
window.addEventListener("popstate", () => {
  if (restore(location.search)) search();
  else fail("");
});

// First the form: what is typed while the list of indexes comes must stay.
if (restore(location.search)) search();
Promise.all([listIndexes(), listCollections()]).catch(() =>
  say("The list of indexes could not be read. The default index is searched.", true),
);
