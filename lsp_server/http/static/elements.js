// What every part of the search page uses: elements with text, and sentences for the user.

/** An element with text; text never becomes markup. */
export function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Show one line, and below it what else is to know. */
export function say(text, { isError = false, notes = [] } = {}) {
  const line = document.getElementById("line");
  line.textContent = text;
  line.classList.toggle("error", isError);
  document.getElementById("notes").replaceChildren(...notes.map((note) => element("li", note)));
}

/** A button that copies a text. */
export function copyButton(text) {
  const button = element("button", "Copy", { type: "button", "aria-label": `Copy ${text}` });
  button.addEventListener("click", () => copy(button, text));
  return button;
}

/** Copy a text, and show that on the button until the focus leaves it. */
export async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    say(`The browser did not allow copying. Copy it from here: ${text}`);
    return;
  }
  button.addEventListener("blur", () => (button.textContent = before), { once: true });
}
