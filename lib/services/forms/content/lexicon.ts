import type { Reading } from './characters';
import { expandAlternatives, patternsOf, reversed } from './pattern';
import { type Trie, TrieBuilder } from './trie';
import { languages } from './words';
import { kinds, type WordList } from './words/word-list';

/** What an entry of `phrases` means: a kind of secret, or that what it covers is harmless. Tries store indexes of this list. */
export const meanings = [...kinds, 'harmless', 'harmlessWithOptions', 'warningStarts'] as const;

/** Whether a meaning, by its number, is a kind of secret. */
export const isForbidden = (meaning: number): boolean => meaning < kinds.length;

/** All word lists, compiled for one reading. */
export interface Lexicon {
  readonly phrases: Trie;
  readonly fillers: Trie;
  readonly warningWords: Trie;
}

/**
 * The word lists of every language together, because a form's `language` is only its author's claim. Compiled when the
 * first form is checked: that takes about a second, which a process that sees no form should not spend.
 */
export function lexiconOf(reading: Reading): Lexicon {
  lexicons ??= compile();
  return lexicons[reading];
}

let lexicons: Readonly<Record<Reading, Lexicon>> | undefined;

function compile(): Readonly<Record<Reading, Lexicon>> {
  const phrases = languages.flatMap(meaningfulPhrases);
  const fillers = languages.flatMap((words) => phrasesOf(words.fillers));
  const warningWords = languages.flatMap((words) => phrasesOf(words.warningWords));
  const compileFor = (reading: Reading): Lexicon => ({
    phrases: compilePhrases(phrases, reading),
    fillers: compileWords(fillers, reading),
    warningWords: compileWords(warningWords, reading),
  });
  return { literal: compileFor('literal'), visual: compileFor('visual') };
}

interface Phrase {
  readonly phrase: string;
  /** Its number in `meanings`. */
  readonly meaning: number;
}

function meaningfulPhrases(words: WordList): Phrase[] {
  return meanings.flatMap((name, meaning) => {
    const phrases = phrasesOf(words[name]);
    const kept = isForbidden(meaning) ? withoutLonger(phrases) : phrases;
    return kept.map((phrase) => ({ phrase, meaning }));
  });
}

function compilePhrases(phrases: readonly Phrase[], reading: Reading): Trie {
  const builder = new TrieBuilder(20);
  for (const { phrase, meaning } of phrases) {
    for (const pattern of patternsOf(phrase, reading, isForbidden(meaning))) {
      builder.add(pattern, meaning);
      const backwards = isForbidden(meaning) ? reversed(pattern) : undefined;
      if (backwards) builder.add(backwards, meaning);
    }
  }
  return builder.build();
}

function compileWords(words: readonly string[], reading: Reading): Trie {
  const builder = new TrieBuilder(13);
  for (const word of words) {
    for (const pattern of patternsOf(word, reading, false)) builder.add(pattern, 0);
  }
  return builder.build();
}

function phrasesOf(entries: readonly string[] = []): string[] {
  return entries.flatMap(expandAlternatives).map((phrase) => phrase.trim().replace(/\s+/g, ' '));
}

/** Leaves out phrases that contain another phrase, because finding the shorter one is enough. */
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
