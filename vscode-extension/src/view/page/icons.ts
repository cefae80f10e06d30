/** Small icons, drawn here on a grid of 16: a webview has no way to VS Code's own. */

const PATHS = {
  check: "M13.6 4.4 6.4 11.6 2.6 7.8",
  arrow: "M2.5 8h10.5M9 4l4 4-4 4",
  question: "M5.5 6.2a2.5 2.5 0 1 1 3.7 2.2C8.4 8.9 8 9.4 8 10.4M8 12.8v.4",
  insert: "M13 3v4a2 2 0 0 1-2 2H3.5M7 5.5 3.5 9 7 12.5",
  insertImport: "M2.5 4.5h6M2.5 8h4M2.5 11.5h6M12 5.5v5M9.5 8h5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  open: "M6.5 3.5h-4v10h10v-4M9.5 2.5h4v4M13.5 2.5 7.5 8.5",
  pin: "M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5",
  prove: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14M5 7.1l1.5 1.5L9 5.6",
  previous: "M10 4 6 8l4 4",
  next: "M6 4l4 4-4 4",
  filter: "M2 3.5h12L9.5 8.8v4.2l-3 1V8.8z",
  expand: "M4 6.5 8 10.5l4-4",
  warning: "M8 2.5 14 13.5H2zM8 6.5v3.5M8 11.6v.4",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.2v4M8 4.9v.4",
  keyboard: "M1.5 4.5h13v7h-13zM4 7h.5M6.5 7H7M9 7h.5M11.5 7h.5M5 9.3h6",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** An icon, hidden from screen readers: the text next to it, or its button's label, says the same. */
export function icon(name: IconName): SVGSVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", `icon icon-${name}`);
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", PATHS[name]);
  drawing.append(line);
  return drawing;
}
