/** The positions that answers are for, kept right while the text around them changes. Pure: positions are LSP's. */

export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** One change of a text: what stood from `start` to `end` became `text`. */
export interface Change {
  readonly start: TextPosition;
  readonly end: TextPosition;
  readonly text: string;
}

function compare(one: TextPosition, other: TextPosition): number {
  return one.line - other.line || one.character - other.character;
}

/**
 * Where `position` is after the change; null if the text around it was removed.
 *
 * What is typed at the position goes before it; what replaces the text from it on leaves it where it is.
 */
export function shifted(position: TextPosition, change: Change): TextPosition | null {
  const fromStart = compare(position, change.start);
  const fromEnd = compare(position, change.end);
  if (fromStart < 0 || (fromStart === 0 && fromEnd < 0)) return position;
  if (fromEnd < 0) return null;
  const lines = change.text.split(/\r\n|\r|\n/u);
  const line = position.line - change.end.line + change.start.line + lines.length - 1;
  if (position.line !== change.end.line) return { line, character: position.character };
  const before = lines.length === 1 ? change.start.character : 0;
  const last = lines[lines.length - 1] ?? "";
  return { line, character: position.character - change.end.character + before + last.length };
}

interface TrackedPosition {
  readonly uri: string;
  readonly position: TextPosition | null;
}

/** The positions of the latest answers, each under an id. */
export class TrackedPositions {
  private readonly known = new Map<string, TrackedPosition>();
  private made = 0;

  constructor(private readonly most = 8) {}

  /** Track a position; returns its id. */
  add(uri: string, position: TextPosition): string {
    const id = `position-${++this.made}`;
    this.known.set(id, { uri, position });
    const oldest = this.known.keys().next();
    if (this.known.size > this.most && !oldest.done) this.known.delete(oldest.value);
    return id;
  }

  /** Where a position is now; undefined if it is not tracked any more, `position` null if its text was removed. */
  find(id: string): TrackedPosition | undefined {
    return this.known.get(id);
  }

  /** Take in changes of a document: as VS Code reports them, each against the text before all of them. */
  changed(uri: string, changes: readonly Change[]): void {
    const fromBelow = [...changes].sort((one, other) => compare(other.start, one.start));
    for (const [id, tracked] of this.known) {
      if (tracked.uri !== uri || tracked.position === null) continue;
      const position = fromBelow.reduce<TextPosition | null>(
        (now, change) => now && shifted(now, change),
        tracked.position,
      );
      this.known.set(id, { uri, position });
    }
  }
}
