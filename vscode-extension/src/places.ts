/** Where an answer belongs, kept right while the text around it changes. Pure: positions are LSP's. */

export interface Spot {
  readonly line: number;
  readonly character: number;
}

/** One change of a text: what stood from `start` to `end` became `text`. */
export interface Change {
  readonly start: Spot;
  readonly end: Spot;
  readonly text: string;
}

function compare(one: Spot, other: Spot): number {
  return one.line - other.line || one.character - other.character;
}

/**
 * Where `spot` is after the change; null where the text around it is gone.
 *
 * What is typed at the spot goes before it; what replaces the text from it on leaves it where it is.
 */
export function shifted(spot: Spot, change: Change): Spot | null {
  const fromStart = compare(spot, change.start);
  const fromEnd = compare(spot, change.end);
  if (fromStart < 0 || (fromStart === 0 && fromEnd < 0)) return spot;
  if (fromEnd < 0) return null;
  const lines = change.text.split(/\r\n|\r|\n/u);
  const line = spot.line - change.end.line + change.start.line + lines.length - 1;
  if (spot.line !== change.end.line) return { line, character: spot.character };
  const before = lines.length === 1 ? change.start.character : 0;
  const last = lines[lines.length - 1] ?? "";
  return { line, character: spot.character - change.end.character + before + last.length };
}

interface Place {
  readonly uri: string;
  readonly spot: Spot | null;
}

/** The places of the latest answers, by name. */
export class Places {
  private readonly known = new Map<string, Place>();
  private made = 0;

  constructor(private readonly most = 8) {}

  /** A name for a place. */
  add(uri: string, spot: Spot): string {
    const name = `place-${++this.made}`;
    this.known.set(name, { uri, spot });
    const oldest = this.known.keys().next();
    if (this.known.size > this.most && !oldest.done) this.known.delete(oldest.value);
    return name;
  }

  /** Where a place is now; undefined where it is not known any more, `spot` null where its text is gone. */
  find(name: string): Place | undefined {
    return this.known.get(name);
  }

  /** Take in changes of a document: as VS Code tells them, each against the text before all of them. */
  changed(uri: string, changes: readonly Change[]): void {
    const fromBelow = [...changes].sort((one, other) => compare(other.start, one.start));
    for (const [name, place] of this.known) {
      if (place.uri !== uri || place.spot === null) continue;
      const spot = fromBelow.reduce<Spot | null>((now, change) => now && shifted(now, change), place.spot);
      this.known.set(name, { uri, spot });
    }
  }

  clear(): void {
    this.known.clear();
  }
}
