import { processWide } from '@/lib/platform/process-wide';
import { type Reading, readings } from './letters';
import { backwards, patternsOf, spellOut } from './pattern';
import { type Trie, TrieBuilder } from './trie';
import { languages } from './words';
import { isKind, kinds, type Words } from './words/language';

/** What a found phrase says about the form: the entries of `phrases` mean one of them, by its number. */
export const meanings = [...kinds, 'look_alike', 'about', 'warning'] as const;
export type Meaning = (typeof meanings)[number];

/** All word lists, as they appear in one reading. */
export interface Lexicon {
  readonly phrases: Trie;
  readonly fillers: Trie;
  readonly warningRest: Trie;
}

/**
 * The word lists of every language at once: a form's `language` is its author's claim. Made when the first form is looked at:
 * it takes about a second, which a process that sees no form does not owe.
 */
export function lexiconOf(reading: Reading): Lexicon {
  return processWide('lexicons of forms', compile)[reading];
}

function compile(): Readonly<Record<Reading, Lexicon>> {
  const builders = { written: newLexicon(), looks: newLexicon() };
  for (const [phrase, meaning] of allPhrases()) {
    const isForbidden = isKind(meaning);
    for (const reading of readings) {
      for (const pattern of patternsOf(phrase, reading, isForbidden)) {
        const { phrases } = builders[reading];
        phrases.add(pattern, meanings.indexOf(meaning));
        const turned = isForbidden ? backwards(pattern) : undefined;
        if (turned) phrases.add(turned, meanings.indexOf(meaning));
      }
    }
  }
  for (const list of ['fillers', 'warningRest'] as const) {
    for (const phrase of languages.flatMap((words) => spelledOut(words[list]))) {
      for (const reading of readings) {
        for (const pattern of patternsOf(phrase, reading, false)) builders[reading][list].add(pattern, 0);
      }
    }
  }
  return { written: finished(builders.written), looks: finished(builders.looks) };
}

/** With room for as many letters as the lists have, so that the tables need not grow. */
const newLexicon = () => ({
  phrases: new TrieBuilder(20),
  fillers: new TrieBuilder(13),
  warningRest: new TrieBuilder(12),
});

const finished = ({ phrases, fillers, warningRest }: ReturnType<typeof newLexicon>): Lexicon => ({
  phrases: phrases.build(),
  fillers: fillers.build(),
  warningRest: warningRest.build(),
});

function* allPhrases(): Generator<[phrase: string, meaning: Meaning]> {
  for (const words of languages) {
    for (const kind of kinds)
      for (const phrase of withoutLonger(spelledOut(words[kind]))) yield [phrase, kind];
    for (const [list, meaning] of explaining) {
      for (const phrase of spelledOut(words[list])) yield [phrase, meaning];
    }
  }
}

const explaining = [
  ['lookAlikes', 'look_alike'],
  ['about', 'about'],
  ['warnings', 'warning'],
] as const satisfies readonly [keyof Words, Meaning][];

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
