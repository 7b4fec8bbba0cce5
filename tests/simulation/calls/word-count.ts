import { z } from 'zod';
import type { CallService } from '@/lib/calls/call-service';
import { WorkBudget } from '@/lib/calls/work-budget';
import { noParams, operation } from '@/lib/catalog/operation';
import type { Clock } from '@/lib/platform/clock';

const wordCount = operation({
  id: 'tools.word-count',
  category: 'service',
  priceName: 'wordCount',
  method: 'POST',
  paths: { x402: '/v1/tools/word-count' },
  price: '0.005',
  title: 'Count words',
  summary: 'Count the words of a text.',
  params: noParams,
  body: z.strictObject({ text: z.string() }),
  takesBody: true,
  output: z.strictObject({ words: z.number().int() }),
  errors: ['invalid_input'],
  example: { params: {}, body: { text: 'Hello, world' }, output: { words: 2 } },
});

/** Limits nothing. */
export const noBudget = new WorkBudget({
  record: {
    history: async () => ({ wasCharged: false, work: new Map() }),
    add: async () => undefined,
    hashAddress: async (address: string) => address,
  },
  factor: 1,
  kind: () => null,
  problems: { reportRequest: () => undefined },
});

/** Counts the words of a text, which takes a second. */
export interface WordCounter {
  /** The service as one process uses it. */
  service(clock: Clock): CallService;
  /** The calls whose effect has happened. */
  readonly delivered: ReadonlySet<string>;
}

/** A service that several processes share. Its effect is idempotent, as that of every service. */
export function wordCounter(): WordCounter {
  const delivered = new Set<string>();
  return {
    delivered,
    service: (clock) => ({
      operation: wordCount,
      check: undefined,
      isPrepared: false,
      callsThirdParty: false,
      budget: noBudget,
      isAvailable: () => true,
      warnings: () => [],
      admit: async () => undefined,
      prepare: async () => null,
      discard: async () => undefined,
      deliver: async (input, { paidCallId }) => {
        await clock.sleep(1_000);
        delivered.add(paidCallId);
        const { text } = wordCount.body.parse(input);
        return { words: text.split(' ').length };
      },
    }),
  };
}
