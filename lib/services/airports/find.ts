import type { Airport } from './airports';
import { beginningWith, buildIndex, type NameIndex, type Names } from './index-of-names';
import { joined, wordsOf } from './text';
import { lettersOf, mayBeWithin, slipsAllowed, slipsBetween } from './typos';

/** How much likelier a destination must be to be meant in spite of one slip more. */
const weightOfSlip = 150;
/** Words of a query that are looked at; who means an airport needs fewer. */
const wordsMax = 10;
/** A shorter word must be a whole one, unless it begins the name. */
const beginningMin = 3;
/** Airports in an answer. */
const placesMax = 20;
/** With this many found as typed, nobody needs to be guessed at. */
const enough = 3;

/** Built when it is first needed: it takes some 400 ms. */
let index: NameIndex | undefined;

/**
 * The airports that a traveller means: by code, city, airport, country or region, best first. Typed as it may be: without
 * accents, without the end of the last word, with a slip or two.
 */
export function findAirports(query: string): Airport[] {
  index ??= buildIndex();
  const { airports } = index;
  return [...new Set(search(index, query))].slice(0, placesMax).flatMap((place) => airports[place] ?? []);
}

function search(index: NameIndex, query: string): readonly number[] {
  const typed = withoutBegunFiller(wordsOf(query));
  const words = [...new Set(typed)].slice(0, wordsMax);
  const name = joined(typed);
  if (name === '') return [];
  const code = /^[a-z]{3}$/.test(name) ? (index.codes.get(name.toUpperCase()) ?? []) : [];
  // A country goes before towns of its name: Liberia is also a city in Costa Rica.
  const named = [index.countries, index.names.places, index.regions].flatMap((map) => map.get(name) ?? []);
  // Capitals mean the code: GOA is Genoa and goa is Goa.
  if (/\b[A-Z]{3}\b/.test(query) && code.length > 0) return code;
  const exact = codeOrName(code, named);
  if (exact.length > 0 && named.length > 0) return exact;
  // A single word may as well be what an airport is named after: kennedy, logan.
  const namesakes = words.length === 1 ? (index.words.places.get(name) ?? []).slice(0, placesMax) : [];
  const likely = [...startingWith(index, name), ...namesakes];
  const asTyped = [...exact, ...likely.sort(byPlace), ...withAllWords(index, words, false)];
  if (exact.length > 0 || asTyped.length >= enough) return asTyped;
  const guessed = [...asTyped, ...resembling(index.names, name, index.airports)];
  return guessed.length > 0 ? guessed : withAllWords(index, words, true);
}

/** `hamburg air` is on its way to `hamburg airport`. */
function withoutBegunFiller(words: string[]): string[] {
  const last = words.at(-1) ?? '';
  const isBegun = words.length > 1 && last.length >= beginningMin && 'airport'.startsWith(last);
  return isBegun ? words.slice(0, -1) : words;
}

/** A code in small letters may as well be a short name; then the likelier destination is meant. */
function codeOrName(code: readonly number[], named: readonly number[]): number[] {
  const [first] = code;
  const isName = first !== undefined && named[0] !== undefined && named[0] < first;
  return isName ? [...named, ...code] : [...code, ...named];
}

const byPlace = (one: number, other: number) => one - other;

/** Airports one of whose names begins so. */
function startingWith({ airports, names }: NameIndex, start: string): number[] {
  const found = new Uint8Array(airports.length);
  for (const name of beginningWith(names, start)) {
    for (const place of names.places.get(name) ?? []) found[place] = 1;
  }
  return placesWith(found, 1);
}

/**
 * Airports with every word of the query somewhere in their names, those first that have more of them whole, and more in the
 * name of their city.
 */
function withAllWords(index: NameIndex, words: readonly string[], mayGuess: boolean): number[] {
  const { airports, words: known, cityWords } = index;
  const found = new Uint8Array(airports.length);
  const score = new Uint8Array(airports.length);
  words.forEach((word, at) => {
    const others = word.length < beginningMin ? [word] : [...beginningWith(known, word)];
    const meant = mayGuess && others.length === 0 ? slipped(known, word).map(({ name }) => name) : others;
    for (const other of meant) {
      for (const place of known.places.get(other) ?? []) if (found[place] === at) found[place] = at + 1;
    }
    for (const whole of [known.places.get(word), cityWords.get(word)]) {
      for (const place of whole ?? []) score[place] = (score[place] ?? 0) + 1;
    }
  });
  for (let place = 0; place < found.length; place += 1)
    if (found[place] !== words.length) score[place] = nowhere;
  const best = 2 * words.length;
  return Array.from({ length: best + 1 }, (_, less) => placesWith(score, best - less)).flat();
}

const nowhere = 255;

/** Where an array has this value, in the order of the airports; no more than an answer can hold. */
function placesWith(values: Uint8Array, value: number): number[] {
  const places: number[] = [];
  for (
    let at = values.indexOf(value);
    at >= 0 && places.length < placesMax;
    at = values.indexOf(value, at + 1)
  ) {
    places.push(at);
  }
  return places;
}

/** Names that differ from this one by a slip or two. */
function slipped({ list, letters, lengths }: Names, name: string): { name: string; slips: number }[] {
  const allowed = slipsAllowed(name.length);
  if (allowed === 0) return [];
  const bits = lettersOf(name);
  const found: { name: string; slips: number }[] = [];
  for (let at = 0; at < list.length; at += 1) {
    if (Math.abs((lengths[at] ?? 0) - name.length) > allowed) continue;
    if (!mayBeWithin(bits, letters[at] ?? 0, allowed)) continue;
    const candidate = list[at] ?? '';
    const slips = slipsBetween(name, candidate, allowed);
    if (slips <= allowed) found.push({ name: candidate, slips });
  }
  return found;
}

function resembling(names: Names, name: string, list: readonly Airport[]): number[] {
  const costs = new Map<number, number>();
  for (const { name: candidate, slips } of slipped(names, name)) {
    for (const place of names.places.get(candidate) ?? []) {
      const cost = slips * weightOfSlip - (list[place]?.weight ?? 0);
      if (cost < (costs.get(place) ?? Number.POSITIVE_INFINITY)) costs.set(place, cost);
    }
  }
  return [...costs]
    .sort(([one, cost], [other, otherCost]) => cost - otherCost || byPlace(one, other))
    .map(([place]) => place);
}
