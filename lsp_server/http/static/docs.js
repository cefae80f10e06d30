// What openapi.json says, for people; nothing is fetched from elsewhere.
"use strict";

function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function named(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.type === "array") return `list of ${named(schema.items)}`;
  const choices = (schema.anyOf ?? []).map(named).filter((name) => name !== "null");
  return schema.type ?? choices.join(" or ");
}

function table(rows) {
  const made = element("table");
  const head = element("tr");
  head.append(...["field", "type", "meaning"].map((title) => element("th", title, { scope: "col" })));
  made.append(head);
  for (const [name, type, meaning] of rows) {
    const row = element("tr");
    const first = element("td");
    first.append(element("code", name));
    row.append(first, element("td", type), element("td", meaning));
    made.append(row);
  }
  return made;
}

function fields(specification, schema) {
  const name = schema?.$ref?.split("/").pop();
  const found = name ? specification.components.schemas[name] : schema;
  const needed = new Set(found?.required ?? []);
  return Object.entries(found?.properties ?? {}).map(([field, one]) => [
    field,
    `${named(one)}${needed.has(field) ? "" : ", optional"}`,
    one.description ?? "",
  ]);
}

function operation(specification, path, method, one) {
  const section = element("section");
  const title = element("h2");
  title.append(element("code", `${method.toUpperCase()} ${path}`));
  section.append(title, element("p", one.description ?? one.summary));
  const parameters = (one.parameters ?? []).map((given) => [
    given.name,
    `${named(given.schema)}${given.required ? "" : ", optional"}`,
    given.description ?? "",
  ]);
  const body = one.requestBody?.content["application/json"]?.schema;
  const rows = [...parameters, ...fields(specification, body)];
  if (rows.length) section.append(table(rows));
  const answer = one.responses["200"]?.content?.["application/json"]?.schema;
  if (answer) section.append(element("p", `Answer: ${named(answer) || "JSON"}`));
  return section;
}

async function main() {
  const target = document.getElementById("operations");
  const response = await fetch("/openapi.json");
  if (!response.ok) {
    target.append(element("p", `The description could not be read (${response.status}).`));
    return;
  }
  const specification = await response.json();
  target.append(element("p", specification.info.description));
  for (const [path, methods] of Object.entries(specification.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      target.append(operation(specification, path, method, one));
    }
  }
}

main().catch((error) => {
  document.getElementById("operations").append(element("p", `The server did not answer (${error.message}).`));
});
