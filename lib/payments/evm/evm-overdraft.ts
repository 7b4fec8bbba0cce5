import type { PaymentSimulator } from './payment-simulator';
import type { EvmCharge } from './settlement-transaction';
import { insufficientBalance } from './usdc-token';

/** The most payments in one simulation: 300 take about 20 million gas, which every node accepts. */
const simulatedMax = 300;

/**
 * Finds the charges that a payer cannot afford in addition to its pending ones. Each was valid alone, but a wallet with
 * money for one payment that signs twenty would make us pay gas for twenty. Only payers with several charges are
 * simulated, in one round trip. If that fails, the charges are sent.
 */
export async function findOverdrawn(
  simulator: PaymentSimulator,
  underWay: readonly EvmCharge[],
  charges: readonly EvmCharge[],
): Promise<readonly EvmCharge[]> {
  const counts = new Map<string, number>();
  for (const { payment } of [...underWay, ...charges]) {
    counts.set(payment.payer, (counts.get(payment.payer) ?? 0) + 1);
  }
  const isOneOfSeveral = ({ payment }: EvmCharge) => (counts.get(payment.payer) ?? 0) > 1;
  const checked = charges.filter(isOneOfSeveral);
  if (checked.length === 0) return [];
  const payers = new Set(checked.map(({ payment }) => payment.payer));
  const own = underWay.filter(({ payment }) => payers.has(payment.payer));
  const ahead = own.slice(-(simulatedMax - checked.length));
  const verdicts = await simulator
    .simulate([...ahead, ...checked].map(({ payment }) => payment))
    .then((all) => all.slice(ahead.length))
    .catch(() => []);
  return checked.filter((_, index) => {
    const verdict = verdicts[index];
    return verdict?.ok === false && verdict.reason === insufficientBalance;
  });
}
