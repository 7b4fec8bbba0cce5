import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import { dayMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { readBalances } from '../balances';
import { type DayFigures, readDays, readFigures } from '../figures/daily';

interface WalletsDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {
  readonly payments: Payments;
}

/** What our own addresses hold on a network, and what waits there. */
export interface NetworkWallets {
  readonly network: string;
  /** Receives the payments. */
  readonly payTo: string;
  /** Atomic USDC that it holds; null when no node answered. */
  readonly treasuryAtomic: bigint | null;
  /** Atomic USDC that came in according to the ledger, less what was paid back. */
  readonly ledgerAtomic: bigint;
  readonly keys: readonly KeyStatus[];
  /** Gas of the last 24 hours, in wei or lamports. */
  readonly gasPerDay: bigint;
  /** Why the balances are not known. */
  readonly problem: string | null;
  /** Signed transactions that are not in a block. */
  readonly pending: number;
  readonly oldestPendingAt: Date | null;
}

/** A settlement key. */
export interface KeyStatus {
  readonly address: string;
  /** Wei or lamports. */
  readonly gasAtomic: bigint;
  /** How many hours its gas lasts at its share of the rate of the last 24 hours; null when none was used. */
  readonly hoursLeft: number | null;
  /** The live process that sends with it; null when none does. */
  readonly leasedBy: string | null;
}

const pendingMax = 10_000;

/** What our wallets hold on every configured network, and how long the gas lasts. Reads every chain. */
export async function readWallets(app: WalletsDeps): Promise<NetworkWallets[]> {
  const now = app.clock.now();
  const [days, lastDay, leases, pending, held] = await Promise.all([
    readAllDays(app),
    readFigures(app, new Date(now - dayMs), new Date(now)),
    readLeases(app),
    readPending(app),
    readBalances(app),
  ]);
  return held.map(({ offer: { network, payTo }, balances, problem }) => {
    const { name } = network;
    const gasPerDay = lastDay.gas[name] ?? 0n;
    const keys = balances?.gas ?? [];
    return {
      network: name,
      payTo,
      treasuryAtomic: balances?.treasuryAtomic ?? null,
      ledgerAtomic: days.reduce((sum, { figures }) => sum + (figures.received[name] ?? 0n), 0n),
      keys: keys.map(({ signer, atomic }) => ({
        address: signer,
        gasAtomic: atomic,
        hoursLeft: hoursLeft(atomic, gasPerDay, keys.length),
        leasedBy: leases.get(`${name} ${signer}`) ?? null,
      })),
      gasPerDay,
      problem,
      pending: pending.get(name)?.count ?? 0,
      oldestPendingAt: pending.get(name)?.oldest ?? null,
    };
  });
}

function hoursLeft(atomic: bigint, gasPerDay: bigint, keys: number): number | null {
  const perKey = Number(gasPerDay) / keys;
  return perKey === 0 ? null : (Number(atomic) / perKey) * 24;
}

/** The live process that holds each key, by network and signer. */
async function readLeases(app: Pick<WithDatabase, 'db'>): Promise<Map<string, string>> {
  const rows = await app.db.$queryRaw<{ network: string; signer: string; holder: string }[]>`
    SELECT network, signer, holder FROM settlement_signer JOIN instance ON instance.id = holder WHERE alive_until > now()`;
  return new Map(rows.map(({ network, signer, holder }) => [`${network} ${signer}`, holder]));
}

/** All days since the first posting. Each is added up once. */
async function readAllDays(app: WalletsDeps): Promise<DayFigures[]> {
  const first = await app.db.posting.findFirst({ orderBy: { id: 'asc' }, select: { at: true } });
  if (!first) return [];
  // A process whose clock was behind may have posted a day earlier.
  const days = Math.floor(app.clock.now() / dayMs) - Math.floor(first.at.getTime() / dayMs) + 2;
  return readDays(app, days);
}

async function readPending(
  app: Pick<WithDatabase, 'db'>,
): Promise<Map<string, { count: number; oldest: Date }>> {
  const rows = await app.db.$queryRaw<{ network: string; count: number; oldest: Date }[]>`
    SELECT network, count(*)::int AS count, min(created_at) AS oldest
    FROM (SELECT network, created_at FROM settlement_transaction WHERE state = 'prepared' LIMIT ${pendingMax}) AS open
    GROUP BY network`;
  return new Map(rows.map(({ network, count, oldest }) => [network, { count, oldest }]));
}
