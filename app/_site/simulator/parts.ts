import type { PaidCallState } from '@/lib/ledger/states';

/** What the page and its script have in common. */

/** The parts that the script fills in, by their ids. */
export const simulatorIds = {
  buy: 'simulator-buy',
  step: 'simulator-step',
  end: 'simulator-end',
  again: 'simulator-again',
  now: 'simulator-now',
  last: 'simulator-last',
  verdict: 'simulator-verdict',
  broken: 'simulator-broken',
  requests: 'simulator-requests',
  process: 'simulator-process',
  states: 'simulator-states',
  moves: 'simulator-moves',
  postings: 'simulator-postings',
  payer: 'simulator-payer',
  seller: 'simulator-seller',
  waiting: 'simulator-waiting',
  blocks: 'simulator-blocks',
  events: 'simulator-events',
} as const;

/** The states that a call can have here: the usual way first. */
export const states = [
  'settling',
  'settled',
  'delivered',
  'unknown',
  'refused',
  'needs_attention',
] as const satisfies readonly PaidCallState[];
