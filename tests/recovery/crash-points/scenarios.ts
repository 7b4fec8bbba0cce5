import { airports, billing, crawl, flights, forms, neural, render, serp, uploads } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { everyType } from '../../support/forms';
import { depositBody, fundedAccount, openAccount, payFrom } from '../rig/accounts';
import type { SignedRequest, Wish } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { newPayer, signFor, type Way } from '../rig/ways';

/** A paid call at whose messages the server is killed. A new operation adds its line below, and nothing else. */
export interface Scenario {
  readonly operation: Operation;
  /** A protocol on a network, or the service's own account. */
  readonly way: Way | 'account';
  /**
   * Whether its messages are also lost, late, doubled and broken. What follows from that is decided by code that does not
   * know the operation (`lib/http`, `lib/payments`), so one call of each kind and on each way stands for the others: an
   * effect in the database, one that is prepared before the payment, a provider that is asked after it, and a deposit.
   */
  readonly isBroken?: true;
  /** Whether more than messages to chains and database leaves the server: it asks a provider, or stores a file. */
  readonly reachesFurther?: true;
  /** Whether the same payer has bought an upload before; `{id}` in the path is its id. */
  readonly followsUpload?: true;
  /** The body where the catalog's smallest one does not do. */
  readonly body?: object;
}

const base = { rail: 'x402', on: 'base' } as const;
const polygon = { rail: 'x402', on: 'polygon' } as const;
const arbitrum = { rail: 'x402', on: 'arbitrum' } as const;
const solana = { rail: 'x402', on: 'solana-mainnet' } as const;
const mppBase = { rail: 'mpp', on: 'base' } as const;
const mppPolygon = { rail: 'mpp', on: 'polygon' } as const;
const mppArbitrum = { rail: 'mpp', on: 'arbitrum' } as const;

const flightSearch = { origin: 'LIS', destination: 'LON', departureDate: '2098-03-04', maxResults: 2 };
/** As the sandbox writes it: what was searched for, so that it can make the offer again. */
const offerId = `off_${Buffer.from('LISLON2098-03-04  economy 1 0').toString('base64url')}`;
export const offer = (): Wish => ({ path: `/flights/offers/${offerId}`, method: 'GET' });

export const scenarios: readonly Scenario[] = [
  { operation: uploads.create, way: base, isBroken: true },
  { operation: uploads.create, way: polygon },
  { operation: uploads.create, way: arbitrum },
  { operation: uploads.create, way: solana, isBroken: true },
  { operation: uploads.create, way: mppBase },
  { operation: uploads.create, way: mppPolygon, isBroken: true },
  { operation: uploads.create, way: mppArbitrum },
  { operation: uploads.create, way: 'account', isBroken: true },
  { operation: uploads.renew, way: arbitrum, isBroken: true, followsUpload: true },
  { operation: uploads.renew, way: mppBase, followsUpload: true },
  { operation: uploads.renew, way: 'account', followsUpload: true },
  { operation: uploads.remove, way: solana, followsUpload: true },
  { operation: uploads.remove, way: mppArbitrum, isBroken: true, followsUpload: true },
  { operation: forms.create, way: base, body: everyType },
  { operation: forms.create, way: mppPolygon, body: everyType },
  { operation: render.pdf, way: arbitrum, reachesFurther: true },
  { operation: billing.deposit, way: base, isBroken: true },
  { operation: serp.search, way: base, reachesFurther: true },
  { operation: serp.news, way: mppArbitrum, reachesFurther: true },
  { operation: serp.images, way: polygon, reachesFurther: true },
  { operation: serp.shopping, way: mppPolygon, reachesFurther: true },
  { operation: neural.search, way: mppBase, isBroken: true, reachesFurther: true },
  { operation: neural.contents, way: solana, reachesFurther: true },
  { operation: neural.findSimilar, way: arbitrum, reachesFurther: true },
  { operation: neural.answer, way: mppArbitrum, reachesFurther: true },
  { operation: crawl.scrape, way: base, reachesFurther: true },
  { operation: crawl.search, way: mppBase, reachesFurther: true },
  { operation: airports.search, way: base },
  { operation: airports.search, way: 'account' },
  { operation: flights.search, way: mppPolygon, reachesFurther: true, body: flightSearch },
  { operation: flights.search, way: 'account', reachesFurther: true, body: flightSearch },
  { operation: flights.offer, way: polygon, isBroken: true, reachesFurther: true },
];

export function nameOfScenario({ operation, way }: Scenario): string {
  return `${operation.id}, ${way === 'account' ? 'account' : `${way.rail} on ${way.on}`}`;
}

/** The call of a new payer, signed and not sent; what it needs first is bought undisturbed. */
export async function requestOf(scenario: Scenario, rig: Rig, buy: Buy): Promise<SignedRequest> {
  const { operation, way, followsUpload = false } = scenario;
  if (way === 'account') {
    const account = await fundedAccount(rig);
    const upload = followsUpload ? (await buy(payFrom(rig, account, uploads.create, {}))).id : '';
    return payFrom(rig, account, operation, await wishOf(scenario, rig, upload));
  }
  const wallet = await newPayer(rig, way);
  const upload = followsUpload ? (await buy(await signFor(way, rig, wallet))).id : '';
  return signFor(way, rig, wallet, await wishOf(scenario, rig, upload));
}

/** Buys something that has to be there first. */
type Buy = (request: SignedRequest) => Promise<{ id: string }>;

async function wishOf({ operation, body }: Scenario, rig: Rig, uploadId: string): Promise<Wish> {
  if (operation === flights.offer) return offer();
  const { method, paths, takesBody, minimalBody } = operation;
  const path = paths.x402.replace('/v1', '').replace('{id}', uploadId);
  if (operation === uploads.create) return { path, method };
  if (operation === billing.deposit) return { path, method, body: depositBody(await openAccount(rig)) };
  return { path, method, body: takesBody ? JSON.stringify(body ?? minimalBody) : undefined };
}
