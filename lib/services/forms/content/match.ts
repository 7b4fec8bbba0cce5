import { isForbidden } from './lexicon';
import { type NormalizedText, noGap } from './normalize';
import { openAtEnd, openAtStart, unspaced } from './pattern';
import { findFrom, hasSpaceBefore, isRepeatedEnough, meaningOf, repeated, type Trie } from './trie';

/** A part of a normalized text. */
export interface Span {
  readonly start: number;
  /** After its last letter. */
  readonly end: number;
}

/** Shorter words occur by chance where parts of other words meet. */
const splitMin = 6;
/** The longest ending of a word in pieces: `pass words`. */
const endingMax = 3;
/** How many letters the fillers around a phrase may take. */
const fillersMax = 200;

/**
 * Whether an entry whose letters occur in a text also occurs as its phrase: as whole words, unless it is open, with
 * enough repeated letters, and with the spaces of the phrase, or in pieces that can only be a disguise.
 */
export function isMatch(
  trie: Trie,
  text: NormalizedText,
  entry: number,
  start: number,
  end: number,
): boolean {
  const { gaps } = text;
  const mark = trie.marks[entry] ?? 0;
  if ((mark & openAtStart) === 0 && gaps[start] === noGap) return false;
  if ((mark & openAtEnd) === 0 && gaps[end] === noGap) return false;
  // `CVV` needs one repeated V, which `CV` lacks; more repeats make no other word.
  if ((mark & repeated) !== 0 && !isRepeatedEnough(trie, entry, text.repeats, start, end - start))
    return false;
  for (let at = start + 1; at < end; at += 1) {
    if (gaps[at] !== noGap && !hasSpaceBefore(trie, entry, at - start)) {
      return isDisguiseInPieces(mark, text, start, end);
    }
  }
  return true;
}

/** Whether letters with spaces that the phrase does not have are a disguise rather than chance. */
function isDisguiseInPieces(mark: number, text: NormalizedText, start: number, end: number): boolean {
  const { gaps } = text;
  if (!isForbidden(meaningOf(mark))) return false;
  if ((mark & unspaced) !== 0) return gaps[start] !== noGap || gaps[end] !== noGap;
  if (gaps[start] === noGap || lettersToGap(text, end) > endingMax) return false;
  if (end - start >= splitMin) return true;
  if (gaps[end] === noGap || (mark & repeated) !== 0) return false;
  return gaps.subarray(start + 1, end).every((gap) => gap !== noGap);
}

function lettersToGap({ gaps }: NormalizedText, from: number): number {
  let to = from;
  while (gaps[to] === noGap && to - from <= endingMax) to += 1;
  return to - from;
}

/** The positions up to `to` that can be reached from `from` over nothing but the given words and single letters. */
export function reachableFrom(
  text: NormalizedText,
  from: number,
  to: number,
  words: Trie,
): ReadonlySet<number> {
  const limit = Math.min(to, from + fillersMax);
  const reached = new Set([from]);
  for (const at of reached) eachWordEnd(text, at, limit, words, (end) => reached.add(end));
  return reached;
}

/** The positions, not before `from`, from which `to` can be reached in the same way. */
export function leadingTo(text: NormalizedText, from: number, to: number, words: Trie): ReadonlySet<number> {
  const leading = new Set([to]);
  for (let at = to - 1; at >= Math.max(from, to - fillersMax); at -= 1) {
    eachWordEnd(text, at, to, words, (end) => {
      if (leading.has(end)) leading.add(at);
    });
  }
  return leading;
}

/** Whether a span consists of nothing but given words, single letters and parts of it. */
export function consistsOf(text: NormalizedText, { start, end }: Span, words: Trie, parts: readonly Span[]) {
  if (end - start > fillersMax) return false;
  const reached = new Set([start]);
  for (const at of reached) {
    for (const part of parts) if (part.start === at && part.end <= end) reached.add(part.end);
    eachWordEnd(text, at, end, words, (next) => reached.add(next));
  }
  return reached.has(end);
}

function eachWordEnd(
  text: NormalizedText,
  at: number,
  to: number,
  words: Trie,
  onEnd: (end: number) => void,
): void {
  const { gaps } = text;
  if (at < to && gaps[at] !== noGap && gaps[at + 1] !== noGap) onEnd(at + 1);
  findFrom(words, text, at, to, (word, _, end) => {
    if (((words.marks[word] ?? 0) & openAtEnd) !== 0 || gaps[end] !== noGap) onEnd(end);
  });
}
