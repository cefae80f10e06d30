/** Children of an element, distinguished by keys: updated in place, so that focus, scroll and selection stay. */

/** What shows one item. */
export interface ItemView<T> {
  readonly element: HTMLElement;
  update(item: T): void;
}

export class KeyedChildren<T> {
  private readonly views = new Map<string, ItemView<T>>();

  constructor(
    private readonly make: (item: T) => ItemView<T>,
    private readonly keyOf: (item: T) => string,
  ) {}

  get(key: string): ItemView<T> | undefined {
    return this.views.get(key);
  }

  /** Make the views of these items, update those that are there, drop the others. */
  update(items: readonly T[]): ItemView<T>[] {
    const wanted = new Set(items.map(this.keyOf));
    for (const [key, view] of this.views) {
      if (wanted.has(key)) continue;
      view.element.remove();
      this.views.delete(key);
    }
    return items.map((item) => {
      const key = this.keyOf(item);
      const view = this.views.get(key) ?? this.make(item);
      this.views.set(key, view);
      view.update(item);
      return view;
    });
  }
}

/** Put children in order while the one that holds the focus is not moved: a moved node loses it. */
export function arrange(parent: HTMLElement, wanted: readonly HTMLElement[]): void {
  const focused = wanted.find((node) => node.parentElement === parent && node.contains(document.activeElement));
  wanted.forEach((node, at) => {
    if (node === focused) {
      while (parent.children[at] !== node) parent.append(parent.children[at] as Element);
    } else if (parent.children[at] !== node) {
      parent.insertBefore(node, parent.children[at] ?? null);
    }
  });
}
