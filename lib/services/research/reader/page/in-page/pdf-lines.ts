/** A piece of text as pdf.js reports it: in the order in which the file shows it. */
export interface TextItem {
  readonly str: string;
  /** Scale, skew and position: the last two are x and y, from the lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly hasEOL: boolean;
  /** Whether it is what a form's field shows. */
  readonly isField?: true;
}

/** A line of text. Lengths are in points. */
export interface Line {
  readonly text: string;
  /** The size of its largest font. */
  readonly size: number;
  readonly left: number;
  readonly right: number;
  /** The height of its baseline above the page's lower edge. */
  readonly y: number;
  /** Whether a form's field is in it. */
  readonly hasField: boolean;
}

/** A paragraph. In a file that does not tag headings, it may be one. */
export interface Paragraph {
  readonly kind: 'paragraph';
  readonly text: string;
  readonly size: number;
  readonly lines: number;
}

/** Puts pieces of text together to lines, by where they are. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let left = Number.POSITIVE_INFINITY;
  let right = 0;
  let y = 0;
  let hasField = false;
  const end = () => {
    const written = text.replace(/\s+/g, ' ').trim();
    if (written !== '') lines.push({ text: written, size, left, right, y, hasField });
    text = '';
    size = 0;
    left = Number.POSITIVE_INFINITY;
    right = 0;
    hasField = false;
  };
  for (const { str, transform, width, hasEOL, isField } of items) {
    const [, , c = 0, d = 0, x = 0, at = 0] = transform;
    const height = Math.hypot(c, d);
    // Not every change of the line is reported. Small steps are superscripts.
    if (text !== '' && str.trim() !== '' && Math.abs(at - y) > 0.8 * Math.max(size, height)) end();
    if (str.trim() !== '') {
      if (height >= size) y = at;
      size = Math.max(size, Math.round(height * 10) / 10);
      left = Math.min(left, x);
      right = Math.max(right, x + width);
    }
    text += str;
    hasField ||= isField === true;
    if (hasEOL) end();
  }
  end();
  return lines;
}

/** Joins lines to one text. A word that is divided at the end of a line becomes whole again. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((before, line) => {
    if (before === '') return line;
    const isDivided = /\p{Ll}[-\u00AD\u2010]$/u.test(before) && /^\p{Ll}/u.test(line);
    // No space between the characters of scripts that have none.
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before);
    return isDivided ? before.slice(0, -1) + line : `${before}${isDense ? '' : ' '}${line}`;
  }, '');
}

/** The paragraphs of a page, by the distances, indents and font sizes of its lines. */
export function paragraphsOf(lines: readonly Line[]): Paragraph[] {
  const distances = lines.flatMap((line, at) => {
    const before = lines[at - 1];
    const distance = before && before.y - line.y;
    return distance && distance > 0 && distance < 3 * line.size ? [distance / line.size] : [];
  });
  distances.sort((one, other) => one - other);
  // Most lines are within paragraphs.
  const usual = distances[Math.floor(distances.length / 3)] ?? 1.2;
  const startsItem = (text: string) => /^([•◦▪‣●○■·–—☐☑-]|\d{1,3}[.)]|[a-z]\))\s/u.test(text);
  const widest = Math.max(0, ...lines.map(({ left, right }) => right - left));

  const continues = (line: Line, before: Line, first: Line): boolean => {
    // Rows of a form.
    if (line.hasField || before.hasField) return false;
    if (Math.abs(line.size - before.size) > 0.1 * before.size || startsItem(line.text)) return false;
    const distance = (before.y - line.y) / line.size;
    // The top of the next column.
    if (distance < -2) return /[^.!?:;]$/u.test(before.text) && /^\p{Ll}/u.test(line.text);
    if (distance > Math.max(usual * 1.25, usual + 0.2)) return false;
    const isIndented = line.left > first.left + 0.8 * line.size && line.left > before.left + 0.8 * line.size;
    if (isIndented && !startsItem(first.text)) return false;
    // A short line ends a paragraph, if a sentence ends there.
    const isShort = before.right - before.left < 0.6 * widest;
    return !(isShort && /[.!?:]$/u.test(before.text) && !/^\p{Ll}/u.test(line.text));
  };

  const groups: Line[][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const [first, before] = [group?.[0], group?.at(-1)];
    if (group && first && before && continues(line, before, first)) group.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => ({
    kind: 'paragraph',
    text: joinLines(group.map(({ text }) => text)),
    size: Math.max(...group.map(({ size }) => size)),
    lines: group.length,
  }));
}

/** Removes lines that pages repeat at their edges: running heads, page numbers. Changes the lists. */
export function removeFurniture(pages: Line[][]): void {
  if (pages.length < 3) return;
  const edge = 2;
  const keyOf = ({ text }: Line) => text.replace(/\b(\d+|[ivxlc]+)\b/gi, '#');
  const counts = new Map<string, number>();
  const edgesOf = (lines: Line[]) => {
    const byHeight = [...lines].sort((one, other) => other.y - one.y);
    // Running heads are no sentences.
    return new Set(
      [...byHeight.slice(0, edge), ...byHeight.slice(-edge)].filter(
        ({ text }) => !/\S \S.* \S+[.!?]$/.test(text),
      ),
    );
  };
  for (const lines of pages) {
    for (const key of new Set([...edgesOf(lines)].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const lines of pages) {
    const edges = edgesOf(lines);
    const kept = lines.filter(
      (line) => !edges.has(line) || (counts.get(keyOf(line)) ?? 0) < Math.max(3, pages.length / 2),
    );
    if (kept.length > 0) lines.splice(0, lines.length, ...kept);
  }
}
