import { readFileSync } from 'node:fs';
import { callEvents } from '@/lib/ledger/states';
import type { CallEventName } from './state';

/** The reason for each move. */
const reasons: Readonly<Record<CallEventName, string>> = {
  prepared: 'prepared',
  settled: 'payment found on the chain',
  settledAfterRefusal: 'payment found on the chain after all',
  refused: 'payment cannot be made',
  refusedForGood: 'account balance too low',
  unprepared: 'preparation failed',
  unpreparedAgain: 'preparation failed again',
  outcomeUnknown: 'outcome not known in time',
  resubmitted: 'sent again',
  delivered: 'response stored',
  kept: 'error stored, payment kept',
  keptByOperator: 'operator keeps the payment',
  needsAttention: 'given up',
  refunded: 'operator refunds',
  undone: 'block removed',
  reopened: 'retry, payment still valid',
  restarted: 'retry, nothing was sent',
};

const page = 'docs/reliability.md';
const block = /```mermaid\nstateDiagram-v2\n[^`]*```/;

/** The states of a paid call and its moves as a diagram, from the table that the product's statements are composed from. */
function drawDiagram(): string {
  const labels = new Map<string, Set<string>>();
  for (const [name, { from, to }] of Object.entries(callEvents)) {
    for (const state of from) {
      const arrow = `${state} --> ${to}`;
      labels.set(arrow, (labels.get(arrow) ?? new Set()).add(reasons[name as CallEventName]));
    }
  }
  const moves = [...labels].map(([arrow, why]) => `  ${arrow}: ${[...why].join('; ')}`);
  const beginnings = ['  [*] --> claimed: a request', '  [*] --> settling: a request, nothing to prepare'];
  return ['```mermaid', 'stateDiagram-v2', ...beginnings, ...moves, '```'].join('\n');
}

/** The page as it is, and as it is with the current diagram. */
export function diagramOnPage(): {
  readonly page: string;
  readonly current: string;
  readonly wanted: string;
} {
  const current = readFileSync(page, 'utf8');
  return { page, current, wanted: current.replace(block, () => drawDiagram()) };
}
