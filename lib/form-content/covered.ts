import { type Line, nothing } from './line';
import { openAtEnd } from './pattern';
import { findFrom, type Trie } from './trie';

/** The letters that fillers around a question, or a warning, may take. */
const fillersMax = 200;

/**
 * The places that are reached from `from` by nothing but the given words and single letters, up to `to` at the most.
 * Together with `leadingTo` it says what stands alone in a field, however often that is asked about the field.
 */
export function reachedFrom(line: Line, from: number, to: number, words: Trie): ReadonlySet<number> {
  const limit = Math.min(to, from + fillersMax);
  const reached = new Set([from]);
  for (const at of reached) eachEnd(line, at, limit, words, (end) => reached.add(end));
  return reached;
}

/** The places from which `to` is reached in the same way. */
export function leadingTo(line: Line, from: number, to: number, words: Trie): ReadonlySet<number> {
  const leading = new Set([to]);
  for (let at = to - 1; at >= Math.max(from, to - fillersMax); at -= 1) {
    eachEnd(line, at, to, words, (end) => {
      if (leading.has(end)) leading.add(at);
    });
  }
  return leading;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Whether the letters consist of nothing but the given words, single letters and what the given spans cover. */
export function isCovered(line: Line, { start, end }: Span, words: Trie, spans: readonly Span[]): boolean {
  if (end - start > fillersMax) return false;
  const reached = new Set([start]);
  for (const at of reached) {
    for (const span of spans) if (span.start === at && span.end <= end) reached.add(span.end);
    eachEnd(line, at, end, words, (next) => reached.add(next));
  }
  return reached.has(end);
}

function eachEnd(line: Line, at: number, to: number, words: Trie, onEnd: (end: number) => void): void {
  const { gaps } = line;
  if (at < to && gaps[at] !== nothing && gaps[at + 1] !== nothing) onEnd(at + 1);
  findFrom(words, line, at, to, (word, _, end) => {
    if (((words.marks[word] ?? 0) & openAtEnd) !== 0 || gaps[end] !== nothing) onEnd(end);
  });
}
