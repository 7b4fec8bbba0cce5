/** A word or phrase that this project does not use, and the field's term that it uses instead. */
interface Replaced {
  readonly words: RegExp;
  readonly instead: string;
}

/** Beginnings of test titles that put a relative clause where the subject belongs. A title says who does what. */
export const titleBeginnings =
  /^(of|what|whatever|whatever's|whichever|whoever|one that|that which|those that|at whichever)\b/i;

/** Words in the names of variables, functions, types and fields, in lower case. Names of database columns keep theirs. */
export const names: Readonly<Record<string, string>> = {
  asked: 'request, input',
  asking: 'request, query',
  errand: 'job',
  landed: 'included, confirmed',
  lane: 'queue, worker',
  lanes: 'queues, workers',
  sold: 'offered, available',
  standing: 'status',
  standings: 'statuses',
  story: 'request context',
  trouble: 'fault, circuit breaker',
  turn: 'admission, tick, slot',
  turns: 'ticks, slots',
  uncovered: 'overdrawn',
  unsold: 'unavailable',
  ways: 'methods, options',
};

/** Phrases in titles of tests, messages, pages, documentation and alerts. */
export const phrases: readonly Replaced[] = [
  { words: /\bwhat (has )?bec(ame|omes?) of\b/i, instead: 'the outcome of' },
  {
    // Whoever follows that advice pays again for a lost response.
    words:
      /\b(random|new|fresh|unique) (\w+ )?(value|key|uuid|string)s? (for|per|on|with) (each|every) (\w+ )?(call|request|retry)\b/i,
    instead: 'one key for each thing you buy, the same key on every retry',
  },
  { words: /\bmend(s|ed|ing)? (the|your|a) /i, instead: 'fix' },
  {
    words: /\b(on sale|(is|are|be|was|were) (not |neither )?(sold|unsold))\b/i,
    instead: 'offered, available',
  },
  { words: /\btold again\b/i, instead: 'replayed' },
  { words: /\bfor play\b/i, instead: 'test' },
  { words: /\bcarrying on\b/i, instead: 'contributing, continuing' },
  { words: /\b(lies?|must lie) ahead\b/i, instead: 'must be between … and … from now' },
  { words: /\btaken away by\b/i, instead: 'removed by a reorganization' },
  { words: /\b(the chain|chains) (will tell|has not said)\b/i, instead: 'not confirmed yet' },
  { words: /\bin trouble\b/i, instead: 'down, failing' },
  { words: /\b(a|the|its own) lanes?\b/i, instead: 'queue' },
  { words: /\b(one|the same|whole) story\b/i, instead: 'request, context' },
];
