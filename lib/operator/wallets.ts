import { inTime } from '@/lib/concurrency/in-time';
import type { NetworkName } from '@/lib/payments/networks';
import type { OwnBalances } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { OperatorApp } from './app';
import { readFigures } from './figures/daily';

/** A key that pays for gas. */
export interface SignerStatus {
  readonly signer: string;
  /** What it holds, in wei or lamports. */
  readonly balanceAtomic: bigint;
  /** The process that sends with it; null when none does, and on Solana, where every process may. */
  readonly leasedBy: string | null;
  /** Its transactions that are not in a block yet. */
  readonly pending: number;
  /** When the oldest of them was made; null without one. */
  readonly pendingSince: Date | null;
}

/** Our wallets on one network. */
export interface WalletStatus {
  readonly network: NetworkName;
  /** The address that receives payments. */
  readonly payTo: string;
  /** What it holds on chain, in atomic USDC; null when the chain could not be read. */
  readonly treasuryAtomic: bigint | null;
  /** What the ledger says that it received less what was paid back, in the last 24 hours. It knows nothing of other transfers. */
  readonly receivedAtomic: bigint;
  /** Gas of the last 24 hours, in wei or lamports. */
  readonly gasAtomic: bigint;
  /** For how long all signers together have gas if it is used as in the last 24 hours; null when none was used, or is known. */
  readonly gasHoursLeft: number | null;
  /** Empty where others settle, and when the chain could not be read. */
  readonly signers: readonly SignerStatus[];
  /** Why the chain could not be read; null normally. */
  readonly problem: string | null;
}

const answerMs = 10_000;
const dayHours = 24;
const dayMs = dayHours * 3_600_000;

/** What our wallets hold on every configured network, and how long the gas lasts. Reads every chain, at most ten seconds long. */
export async function readWallets(app: OperatorApp): Promise<WalletStatus[]> {
  const now = app.clock.now();
  const [{ received, gas }, leases, pending, chains] = await Promise.all([
    readFigures(app, new Date(now - dayMs), new Date(now)),
    readLeases(app),
    readPending(app),
    Promise.all(
      app.payments.networks.all().map(async (offer) => [offer, await readChain(app, offer.settler)] as const),
    ),
  ]);
  return chains.map(
    ([
      {
        network: { name },
        payTo,
      },
      { balances, problem },
    ]) => {
      const gasAtomic = gas[name] ?? 0n;
      const signers = balances?.gas ?? [];
      return {
        network: name,
        payTo,
        treasuryAtomic: balances?.treasuryAtomic ?? null,
        receivedAtomic: received[name] ?? 0n,
        gasAtomic,
        gasHoursLeft: hoursLeft(signers, gasAtomic),
        signers: signers.map(({ signer, atomic }) => {
          const key = `${name} ${signer}`;
          const { count = 0, since = null } = pending.get(key) ?? {};
          return {
            signer,
            balanceAtomic: atomic,
            leasedBy: leases.get(key) ?? null,
            pending: count,
            pendingSince: since,
          };
        }),
        problem,
      };
    },
  );
}

function hoursLeft(signers: OwnBalances['gas'], gasOfDay: bigint): number | null {
  if (signers.length === 0 || gasOfDay <= 0n) return null;
  const held = signers.reduce((sum, { atomic }) => sum + atomic, 0n);
  return (Number(held) / Number(gasOfDay)) * dayHours;
}

async function readChain(
  app: OperatorApp,
  settler: { balances(): Promise<OwnBalances> },
): Promise<{ readonly balances: OwnBalances | null; readonly problem: string | null }> {
  try {
    const balances = await inTime(app.clock, settler.balances(), answerMs, null);
    return { balances, problem: balances === null ? 'The RPC did not respond in time.' : null };
  } catch (error) {
    return { balances: null, problem: describeError(error).message };
  }
}

/** The live process that holds each key, by network and signer. */
async function readLeases(app: OperatorApp): Promise<Map<string, string>> {
  const rows = await app.db.$queryRaw<{ network: string; signer: string; holder: string }[]>`
    SELECT network, signer, holder FROM settlement_signer JOIN instance ON instance.id = holder WHERE alive_until > now()`;
  return new Map(rows.map(({ network, signer, holder }) => [`${network} ${signer}`, holder]));
}

async function readPending(app: OperatorApp): Promise<Map<string, { count: number; since: Date }>> {
  const rows = await app.db.$queryRaw<{ network: string; signer: string; count: number; since: Date }[]>`
    SELECT network, signer, count(*)::int AS count, min(created_at) AS since FROM settlement_transaction
    WHERE state = 'prepared' AND signer IS NOT NULL GROUP BY network, signer`;
  return new Map(rows.map(({ network, signer, count, since }) => [`${network} ${signer}`, { count, since }]));
}
