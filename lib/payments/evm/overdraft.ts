import { insufficientBalance } from './calls';
import type { EvmChain } from './chain';
import type { EvmCharge } from './settlement-transaction';

/** Simulated together at most, so that no node finds it too much: 300 take some 20 million gas. */
const simulatedMax = 300;

/**
 * Of charges that are about to be sent, those that their payers cannot cover beside what is under way from them already.
 * Each was found good by itself, so a wallet with money for one that authorizes twenty would have us pay gas for twenty.
 * Only payers of several at a time are asked about, in one round trip; where that fails, the chain will tell.
 */
export async function findOverdrawn(
  chain: EvmChain,
  underWay: readonly EvmCharge[],
  charges: readonly EvmCharge[],
): Promise<readonly EvmCharge[]> {
  const counts = new Map<string, number>();
  for (const { payment } of [...underWay, ...charges]) {
    counts.set(payment.payer, (counts.get(payment.payer) ?? 0) + 1);
  }
  const isOneOfSeveral = ({ payment }: EvmCharge) => (counts.get(payment.payer) ?? 0) > 1;
  const asked = charges.filter(isOneOfSeveral);
  if (asked.length === 0) return [];
  const ahead = underWay.filter(isOneOfSeveral).slice(-(simulatedMax - asked.length));
  const verdicts = await chain
    .simulate([...ahead, ...asked].map(({ payment }) => payment))
    .then((all) => all.slice(ahead.length))
    .catch(() => []);
  return asked.filter((_, index) => {
    const verdict = verdicts[index];
    return verdict?.ok === false && verdict.reason === insufficientBalance;
  });
}
