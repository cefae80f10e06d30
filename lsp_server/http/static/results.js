// One result: a premise with its source, or a document of a collection.
import { copyButton, element } from "/static/elements.js";

/** A list item for a premise; `rev` is the index that has it. */
export function premiseItem(premise, rev) {
  const item = itemOf(`${premise.name} ${premise.module}`);
  const head = element("p", "", { class: "head" });
  const name = element("code", premise.name, { class: "name" });
  const link = premise.doc_url ? element("a", "", { href: premise.doc_url, rel: "noreferrer noopener" }) : head;
  link.append(name);
  if (link !== head) head.append(link);
  item.append(head);
  if (premise.statement) item.append(element("pre", premise.statement));
  if (premise.doc) item.append(element("p", premise.doc, { class: "doc" }));
  const where = element("p", "", { class: "where" });
  where.append(element("span", premise.kind), " in ", element("code", premise.module));
  const scope = scopeOf(premise);
  if (scope) where.append(" ", scope);
  const like = new URLSearchParams({ query: `like:${premise.name}`, ...(rev && { rev }) });
  where.append(" · ", element("a", "More like this", { href: `/?${like}`, "aria-label": `More like ${premise.name}` }));
  item.append(where);
  if (premise.why) item.append(element("p", `why: ${premise.why}`, { class: "where" }));
  if (premise.statement) head.append(" ", panelButton(SOURCE, premise, rev, item)); // the bundled index has no source
  head.append(" ", panelButton(USES, premise, rev, item));
  head.append(" ", copyButton(premise.name));
  return item;
}

/** A list item for a document of a collection. */
export function documentItem(hit) {
  const item = itemOf(`${hit.title} ${hit.where}`);
  const head = element("p", "", { class: "head" });
  head.append(element("code", hit.title, { class: "name" }), " ", copyButton(hit.title));
  item.append(head, element("pre", hit.body));
  const where = element("p", hit.kind, { class: "where" });
  if (hit.where) where.append(" in ", element("code", hit.where));
  item.append(where);
  return item;
}

function itemOf(key) {
  const item = element("li");
  item.dataset.key = key;
  return item;
}

function scopeOf(premise) {
  if (premise.in_scope === null) return null;
  if (premise.in_scope) return element("span", "in scope", { class: "tag good" });
  return element("code", premise.import ?? "not in scope", { class: "tag" });
}

/** What the panels of a result show: the text of their button, what they are called, what is read, and its parts. */
const SOURCE = { label: "Show source", called: "Source", path: "/api/declaration", parts: sourceParts };
const USES = { label: "Who uses it", called: "Uses", path: "/api/uses", parts: usesParts };

/** Opens and closes a panel of a premise, which is read when it is first opened. */
function panelButton(kind, premise, rev, item) {
  const panel = element("section", "", { "aria-label": `${kind.called} of ${premise.name}`, class: "source" });
  const button = element("button", kind.label, {
    type: "button",
    "aria-expanded": "false",
    "aria-label": kind === SOURCE ? `Show source of ${premise.name}` : `Who uses ${premise.name}`,
  });
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) panel.remove();
    else item.append(panel);
    if (!isOpen && !panel.hasChildNodes()) fill(panel, kind, premise, rev);
  });
  return button;
}

async function fill(panel, kind, premise, rev) {
  panel.append(element("p", "Reading …", { role: "status" }));
  const asked = new URLSearchParams({ name: premise.name, module: premise.module, ...(rev && { rev }) });
  try {
    const response = await fetch(`${kind.path}?${asked}`);
    const answer = await response.json();
    if (response.ok) panel.replaceChildren(...kind.parts(answer, rev));
    else panel.replaceChildren(element("p", `${answer.error} ${answer.schema.description}`, { class: "error" }));
  } catch (error) {
    panel.replaceChildren(element("p", `The server did not answer (${error.message}).`, { class: "error" }));
  }
}

function sourceParts(answer) {
  const parts = answer.reading ? [element("p", `Read by rules: ${answer.reading}`, { class: "reading" })] : [];
  if (answer.doc) parts.push(element("p", answer.doc, { class: "doc" }));
  if (!answer.source) return [...parts, element("p", "Its source is not on this machine.")];
  const where = element("p", "", { class: "where" });
  const file = answer.path ?? answer.premise.module;
  where.append(element("code", answer.line === null ? file : `${file}:${answer.line}`));
  if (answer.path) where.append(" ", element("a", "Open in VS Code", { href: editorLink(answer) }));
  return [...parts, where, element("pre", withoutDoc(answer), { tabindex: "0" })];
}

function usesParts(answer, rev) {
  const { premise, used_by, used_by_count, uses, uses_count, notes } = answer;
  const users = used_by_count === 1 ? "1 proof" : `${used_by_count} proofs`;
  return [
    ...(premise.replaced_by ? [element("p", `Deprecated: use ${premise.replaced_by}`)] : []),
    ...usesList(used_by_count ? `Used by ${users}` : "No known proof names it", used_by, used_by_count, rev),
    ...usesList(uses_count ? `Its proof uses ${uses_count}` : "Its proof names nothing that is known", uses, uses_count, rev),
    ...notes.map((note) => element("p", note, { class: "where" })),
  ];
}

function usesList(heading, items, count, rev) {
  const list = element("ul");
  for (const { name, module, path, line } of items) {
    const found = new URLSearchParams({ query: name, ...(rev && { rev }) });
    const link = element("a", "", { href: `/?${found}` });
    link.append(element("code", name));
    const item = element("li");
    item.append(link, " ", element("code", path && line ? `${path}:${line}` : module, { class: "where" }));
    list.append(item);
  }
  if (count > items.length) list.append(element("li", `and ${count - items.length} more`));
  return [element("p", heading), ...(items.length ? [list] : [])];
}

/** The text of a declaration, without the doc string that is shown above it. */
function withoutDoc({ doc, source }) {
  const end = doc && source.startsWith("/--") ? source.indexOf("-/") : -1;
  return end < 0 ? source : source.slice(end + 2).trimStart();
}

/** What VS Code opens at the line. */
function editorLink({ path, line }) {
  const parts = path.replaceAll("\\", "/").split("/").map(encodeURIComponent);
  const file = parts.join("/").replace(/^([A-Za-z])%3A\//, "/$1:/");
  return `vscode://file${file}${line === null ? "" : `:${line}`}`;
}

/** Focus a field or button, or the first link or button of a result. */
export function focusOn(stop) {
  if (!stop) return;
  (stop.querySelector("a, button") ?? stop).focus();
  stop.scrollIntoView({ block: "nearest" });
}

/** Close the open panel that an element is in; whether there was one. */
export function closeSource(inside) {
  const button = inside.closest("#list > li")?.querySelector('[aria-expanded="true"]');
  button?.focus();
  button?.click();
  return Boolean(button);
}
