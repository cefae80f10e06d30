/** The few things done to the DOM. Data goes in as text and as attribute values, never as HTML. */

/** A new element. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Set the text, if it is another: a node that is left alone keeps selection and flickers never. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Set a sentence; what is in `backticks` is set as code. */
export function setProse(node: HTMLElement, text: string): void {
  const parts = text.split("`");
  if (node.textContent === parts.join("")) return;
  node.replaceChildren(
    ...parts.map((part, at) => {
      if (at % 2 === 0) return part;
      const code = element("code");
      code.textContent = part;
      return code;
    }),
  );
}

/** Set an attribute, if it is another; null takes it away. */
export function setAttribute(node: HTMLElement, name: string, value: string | null): void {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** Set the text of a name, with places to break it after its dots. */
export function setName(node: HTMLElement, name: string): void {
  if (node.textContent === name) return;
  const parts = name.split(/(?<=\.)/u);
  node.replaceChildren(...parts.flatMap((part, at) => [...(at === 0 ? [] : [document.createElement("wbr")]), ...isolated(part)]));
}

/** Set a text in Lean's notation. */
export function setCode(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.replaceChildren(...isolated(text));
}

const WORD = /([\p{L}\p{N}\p{M}_'!?]+)/u;
/** A letter that is written from right to left; those outside the basic plane by the first half of their pair. */
const TURNED = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;

/** The text with the words that have such a letter set apart: what is beside them keeps its order, in `שלום = 1` the `= 1`. */
export function isolated(text: string): readonly (string | Node)[] {
  if (!TURNED.test(text)) return text === "" ? [] : [text];
  const parts = text.split(WORD).map((part) => (TURNED.test(part) ? element("bdi", "", {}, document.createTextNode(part)) : part));
  return parts.filter((part) => part !== "");
}
