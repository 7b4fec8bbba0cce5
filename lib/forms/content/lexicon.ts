import { processWide } from '@/lib/process-wide';
import type { Reading } from './letters';
import { backwards, type Pattern, patternsOf, spellOut } from './pattern';
import { buildTrie, type Trie } from './trie';
import { languages } from './words';
import { type Kind, kinds, type Words } from './words/language';

/** What a found phrase says about the form. */
export type Meaning = Kind | 'look_alike' | 'about' | 'warning';

/** All word lists, as they appear in one reading. */
export interface Lexicon {
  readonly phrases: Trie<Pattern<Meaning>>;
  readonly fillers: Trie<Pattern<'filler'>>;
  readonly warningRest: Trie<Pattern<'filler'>>;
}

/**
 * The word lists of every language at once: a form's `language` is its author's claim. Made when the first form is looked at:
 * it takes the better part of a second, which a process that sees no form does not owe.
 */
export function lexiconOf(reading: Reading): Lexicon {
  return processWide(`lexicon of forms, ${reading}`, () => compile(reading));
}

function compile(reading: Reading): Lexicon {
  const patterns = languages.flatMap((words) => patternsOfLanguage(words, reading));
  return {
    phrases: buildTrie(patterns),
    fillers: wordsOf('fillers', reading),
    warningRest: wordsOf('warningRest', reading),
  };
}

function patternsOfLanguage(words: Words, reading: Reading): Pattern<Meaning>[] {
  const read = (phrases: readonly string[], meaning: Meaning) =>
    phrases.flatMap((phrase) => patternsOf(phrase, meaning, reading));
  const forbidden = kinds.flatMap((kind) => read(withoutLonger(spelledOut(words[kind])), kind));
  return [
    ...forbidden,
    ...forbidden.flatMap(backwards),
    ...read(spelledOut(words.lookAlikes), 'look_alike'),
    ...read(spelledOut(words.about), 'about'),
    ...read(spelledOut(words.warnings), 'warning'),
  ];
}

function spelledOut(entries: readonly string[] = []): string[] {
  return entries.flatMap(spellOut).map((phrase) => phrase.trim().replace(/\s+/g, ' '));
}

/** Phrases without those that contain another one of them, and are found by it. */
function withoutLonger(phrases: readonly string[]): string[] {
  const all = new Set(phrases);
  return [...all].filter((phrase) => {
    const words = phrase.split(' ');
    return !words.some((_, from) =>
      words.some((_, last) => {
        const part = words.slice(from, last + 1).join(' ');
        return part !== phrase && all.has(part);
      }),
    );
  });
}

function wordsOf(list: 'fillers' | 'warningRest', reading: Reading): Trie<Pattern<'filler'>> {
  const phrases = languages.flatMap((words) => spelledOut(words[list]));
  return buildTrie(phrases.flatMap((phrase) => patternsOf(phrase, 'filler' as const, reading)));
}
