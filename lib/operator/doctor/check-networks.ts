import { Connection } from '@solana/web3.js';
import { createPublicClient, http } from 'viem';
import type { Payments } from '@/lib/payments/app-payments';
import { configuredOffers, isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { WithDatabase } from '@/lib/platform/database/database';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { OperatorFeature } from '../operator-app';
import { type Finding, failed, ok, warning } from './finding';

interface NetworksDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
  readonly features: readonly OperatorFeature[];
}

const answerMs = 10_000;
/** The newest block is younger than this even on a slow chain. */
const blockAgeMaxSeconds = 120;

/** Checks every configured network as a server does before it offers it, each of its RPCs, and the optional features. */
export async function checkNetworks(app: NetworksDeps): Promise<Finding[]> {
  const found = await Promise.all(
    configuredOffers(app.settings).map(async (offer) => [
      ...(await checkOffer(app, offer)),
      ...(await checkRpcs(app, offer)),
    ]),
  );
  const others = await Promise.all(app.features.map((feature) => feature.examine()));
  return [...found, ...others].flat();
}

async function checkOffer(app: NetworksDeps, offer: Offer): Promise<Finding[]> {
  const { name, family, setting } = offer.network;
  const settler = app.payments.networks.byName(name)?.settler;
  if (!settler) {
    const key = family === 'evm' ? 'SETTLEMENT_KEYS_EVM' : 'SETTLEMENT_KEY_SOLANA';
    const advice = `Set ${key}, or FACILITATOR_URL.`;
    return [failed(name, 'there is no settlement key and no facilitator', advice)];
  }
  const rpc = `Check that the RPCs in ${setting}_RPC_URL respond to this machine.`;
  // Another server, found through the database, has to settle the payments.
  const isSettledElsewhere = settler.kind === 'evm' && !app.settings.SETTLEMENT_KEYS_EVM;
  if (isSettledElsewhere && !(await hasTables(app)))
    return [
      failed(
        name,
        'there is no settlement key here, and the database has no tables that would name another server with one',
        'Set SETTLEMENT_KEYS_EVM and start the server, which creates the tables, or start the server that has a key first.',
      ),
    ];
  try {
    const problems = await inTime(app.clock, settler.check(), answerMs, null);
    if (problems === null) return [failed(name, `the check took more than ${answerMs / 1_000} seconds`, rpc)];
    if (problems.length > 0) return problems.map(({ message, advice }) => failed(name, message, advice));
    return [ok(name, 'payments can be taken')];
  } catch (error) {
    return [failed(name, describeError(error).message, rpc)];
  }
}

/** Whether the tables exist; not if the database does not respond, which is a finding of its own. */
async function hasTables({ db }: Pick<WithDatabase, 'db'>): Promise<boolean> {
  return db.installation.count().then(
    () => true,
    () => false,
  );
}

/** RPCs are numbered, because their URLs may hold keys. */
async function checkRpcs(app: Pick<Platform, 'clock'>, offer: Offer): Promise<Finding[]> {
  const found = await Promise.all(
    offer.rpcUrls.map(async (url, index): Promise<Finding[]> => {
      const name = `RPC ${index + 1} of ${offer.rpcUrls.length}`;
      const about = `${offer.network.setting}_RPC_URL`;
      try {
        const newest = await inTime(app.clock, newestBlockAt(url, offer), answerMs, null);
        if (newest === null) throw new Error(`no answer within ${answerMs / 1_000} seconds`);
        if (newest === 'unknown') return [];
        const age = app.clock.now() / 1_000 - newest;
        if (age <= blockAgeMaxSeconds) return [];
        const message = `the newest block of ${name} is ${Math.round(age)} seconds old`;
        return [warning(about, message, 'Remove the RPC if it lags, or correct the clock of this machine.')];
      } catch (error) {
        const message = `${name} does not respond: ${describeError(error).message}`;
        return [warning(about, message, 'Correct or remove its URL.')];
      }
    }),
  );
  return found.flat();
}

/** The time of the newest block, in seconds since 1970, if the node knows it. */
async function newestBlockAt(url: string, offer: Offer): Promise<number | 'unknown'> {
  if (isEvmOffer(offer)) {
    const client = createPublicClient({ transport: http(url, { retryCount: 0, timeout: answerMs }) });
    return Number((await client.getBlock()).timestamp);
  }
  const connection = new Connection(url, { commitment: 'confirmed', disableRetryOnRateLimit: true });
  const slot = await connection.getSlot();
  return (await connection.getBlockTime(slot).catch(() => null)) ?? 'unknown';
}
