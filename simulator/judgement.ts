import type { Order } from '@/tests/simulation/buyers';
import { findViolations } from '@/tests/simulation/checks';
import { receivedOn } from '@/tests/simulation/transfers';
import type { World } from '@/tests/simulation/world';

/** What came of a call in the end. */
export interface Judgement {
  /** Whether all promises of docs/reliability.md hold. */
  readonly isKept: boolean;
  /** How often the call was paid by the chain, and how many different answers its client has. */
  readonly paid: number;
  readonly delivered: number;
  readonly headline: string;
  /** Promises that do not hold. */
  readonly broken: readonly string[];
}

/** Holds rows, chain and answers against what is promised. Only at the end, because until then a call may be open. */
export function judge(world: World, order: Order, priceAtomic: bigint): Judgement {
  const broken = findViolations(world, [order]).map(({ promise }) => promise);
  const paid = Number(receivedOn(world, 'base') / priceAtomic);
  const answers = order.requests.flatMap(({ answer }) => (answer?.kind === 'answered' ? [answer.text] : []));
  const delivered = new Set(answers).size;
  const isKept = broken.length === 0;
  return {
    isKept,
    paid,
    delivered,
    broken,
    headline: isKept ? headlineOf(paid, delivered) : 'A promise is broken',
  };
}

function headlineOf(paid: number, delivered: number): string {
  if (paid === 1 && delivered === 1) return 'Paid once, delivered once';
  if (paid === 0 && delivered === 0) return 'Nothing paid, nothing delivered';
  if (paid === 1) return 'Paid once; an operator has to deliver it or pay it back';
  return `Paid ${paid} times, delivered ${delivered} times`;
}
