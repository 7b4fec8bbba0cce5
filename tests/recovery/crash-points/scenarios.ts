import { airports, billing, crawl, flights, forms, neural, render, serp, uploads } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { everyType } from '../../support/forms';
import { newSolanaSmartWallet } from '../../support/payers';
import { depositBody, fundedAccount, openAccount, payFrom } from '../rig/accounts';
import { signDeposit, signVoucherAfter } from '../rig/channels';
import { newCodeWallet } from '../rig/hostile-wallets';
import { newPayer, type PaymentMethod, signFor } from '../rig/payment-methods';
import { type Order, type SignedRequest, sendFileFor, sign } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { wallets } from '../rig/wallets-with-code';
import type { ServiceName } from './services';

/** A paid call. The server is killed at each of its messages. A new operation only needs a line in the list below. */
export interface Scenario {
  readonly operation: Operation;
  /** A protocol on a network, or the service's own account. */
  readonly paidBy: PaymentMethod | 'account';
  /**
   * Whether its messages are also lost, delayed, doubled and broken. Code that does not know the operation (`lib/http`,
   * `lib/payments`) handles these faults, so one call of each kind and payment method stands for the others: an effect in the
   * database, one that is prepared before the payment, a provider that is called after it, and a deposit.
   */
  readonly isBroken?: true;
  /**
   * What it uses besides chains and database: a provider that is called after the payment and at most once, so that a call without
   * a response ends as kept; a provider that is called before the payment; the browser that prints; an external store.
   */
  readonly reaches?: 'provider' | 'provider before the payment' | 'printer' | 'printer and store' | 'store';
  /** Whether the same payer has bought an upload before. `{id}` in the path is that upload's id. */
  readonly followsUpload?: true;
  /** Whether the node sends its transaction synchronously. */
  readonly sendsSynchronously?: true;
  /** Whether the payer is a contract wallet, whose payments are settled in a separate queue. */
  readonly isFromContract?: true;
  /** Whether the payer is a smart wallet on Solana. */
  readonly isFromSmartWallet?: true;
  /** How the call is paid through a payment channel: by a deposit with the first voucher, or by a later voucher. */
  readonly throughChannel?: 'deposit' | 'voucher';
  /** The body, where the catalog's smallest one does not suffice. */
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
/** An offer ID in the format of the sandbox: it contains the search, so that the sandbox can recreate the offer. */
const offerId = `off_${Buffer.from('LISLON2098-03-04  economy 1 0').toString('base64url')}`;
const offer = (): Order => ({ path: `/flights/offers/${offerId}`, method: 'GET' });

export const scenarios: readonly Scenario[] = [
  { operation: uploads.create, paidBy: base, isBroken: true },
  { operation: uploads.create, paidBy: base, isFromContract: true },
  { operation: uploads.create, paidBy: base, isBroken: true, throughChannel: 'deposit' },
  { operation: uploads.create, paidBy: base, isBroken: true, throughChannel: 'voucher' },
  { operation: uploads.create, paidBy: polygon },
  { operation: uploads.create, paidBy: arbitrum },
  { operation: uploads.create, paidBy: solana, isBroken: true },
  { operation: uploads.create, paidBy: solana, isFromSmartWallet: true },
  { operation: uploads.create, paidBy: mppBase },
  { operation: uploads.create, paidBy: mppPolygon, isBroken: true, sendsSynchronously: true },
  { operation: uploads.create, paidBy: mppArbitrum },
  { operation: uploads.create, paidBy: 'account', isBroken: true },
  { operation: uploads.renew, paidBy: arbitrum, isBroken: true, followsUpload: true },
  { operation: uploads.renew, paidBy: mppBase, followsUpload: true },
  { operation: uploads.renew, paidBy: 'account', followsUpload: true },
  { operation: uploads.remove, paidBy: solana, followsUpload: true },
  { operation: uploads.remove, paidBy: mppArbitrum, isBroken: true, followsUpload: true, reaches: 'store' },
  { operation: forms.create, paidBy: base, body: everyType },
  { operation: forms.create, paidBy: base, body: everyType, throughChannel: 'voucher' },
  { operation: forms.create, paidBy: mppPolygon, body: everyType },
  { operation: forms.create, paidBy: 'account', body: everyType },
  { operation: render.pdf, paidBy: arbitrum, reaches: 'printer and store' },
  { operation: render.pdf, paidBy: 'account', reaches: 'printer' },
  { operation: billing.deposit, paidBy: base, isBroken: true },
  { operation: serp.search, paidBy: base, reaches: 'provider' },
  { operation: serp.news, paidBy: mppArbitrum, reaches: 'provider' },
  { operation: serp.images, paidBy: polygon, reaches: 'provider' },
  { operation: serp.shopping, paidBy: mppPolygon, reaches: 'provider' },
  { operation: neural.search, paidBy: mppBase, isBroken: true, reaches: 'provider' },
  { operation: neural.contents, paidBy: solana, reaches: 'provider' },
  { operation: neural.findSimilar, paidBy: arbitrum, reaches: 'provider' },
  { operation: neural.answer, paidBy: mppArbitrum, reaches: 'provider' },
  { operation: crawl.scrape, paidBy: base, reaches: 'provider' },
  { operation: crawl.search, paidBy: mppBase, reaches: 'provider' },
  { operation: airports.search, paidBy: base },
  { operation: airports.search, paidBy: 'account' },
  { operation: flights.search, paidBy: mppPolygon, reaches: 'provider', body: flightSearch },
  { operation: flights.search, paidBy: 'account', reaches: 'provider', body: flightSearch },
  { operation: flights.offer, paidBy: polygon, isBroken: true, reaches: 'provider before the payment' },
];

/** The services that a scenario's messages go to. */
export function servicesOf({ reaches }: Scenario): ServiceName[] {
  return (['provider', 'store'] as const).filter((name) => reaches?.includes(name));
}

export function nameOfScenario(scenario: Scenario): string {
  const { operation, paidBy, isFromContract, isFromSmartWallet, throughChannel } = scenario;
  const payer = isFromContract ? ', contract wallet' : isFromSmartWallet ? ', smart wallet' : '';
  const method = paidBy === 'account' ? 'account' : `${paidBy.rail} on ${paidBy.on}`;
  const channel = throughChannel ? `, ${throughChannel} of a channel` : '';
  return `${operation.id}, ${method}${channel}${payer}`;
}

/** The call of a new payer, signed but not sent. Anything that it requires is bought first, undisturbed. */
export async function requestOf(scenario: Scenario, rig: Rig, buy: Buy): Promise<SignedRequest> {
  const { operation, paidBy, followsUpload = false } = scenario;
  if (paidBy === 'account') {
    const account = await fundedAccount(rig);
    const upload = followsUpload ? (await buy(payFrom(rig, account, uploads.create, {}))).id : '';
    const order = await orderOf(scenario, rig, upload);
    await sendFileFor(rig, order.path);
    return payFrom(rig, account, operation, order);
  }
  if (scenario.isFromContract) {
    const wallet = await newCodeWallet(rig, wallets.accept);
    return sign(rig, wallet, await orderOf(scenario, rig, ''));
  }
  if (scenario.isFromSmartWallet) {
    const wallet = await newSolanaSmartWallet({ rpcUrl: rig.chainUrl('solana-mainnet') });
    return sign(rig, wallet, await orderOf(scenario, rig, ''));
  }
  if (scenario.throughChannel) return channelRequest(scenario, rig, buy);
  const wallet = await newPayer(rig, paidBy);
  const upload = followsUpload ? (await buy(await signFor(paidBy, rig, wallet))).id : '';
  return signFor(paidBy, rig, wallet, await orderOf(scenario, rig, upload));
}

async function channelRequest(scenario: Scenario, rig: Rig, buy: Buy): Promise<SignedRequest> {
  const wallet = await rig.newEvmPayer();
  const order = await orderOf(scenario, rig, '');
  if (scenario.throughChannel === 'deposit') return signDeposit(rig, wallet, order);
  const deposit = await signDeposit(rig, wallet);
  await buy(deposit);
  return signVoucherAfter(rig, wallet, deposit, order);
}

/** Buys something that a scenario requires. */
type Buy = (request: SignedRequest) => Promise<{ id: string }>;

/** The order of a scenario. @param uploadId an upload that the same payer has bought, if the scenario requires one */
export async function orderOf({ operation, body }: Scenario, rig: Rig, uploadId: string): Promise<Order> {
  if (operation === flights.offer) return offer();
  const { method, paths, takesBody, minimalBody } = operation;
  const path = paths.x402.replace('/v1', '').replace('{id}', uploadId);
  if (operation === uploads.create) return { path, method };
  if (operation === billing.deposit) return { path, method, body: depositBody(await openAccount(rig)) };
  return { path, method, body: takesBody ? JSON.stringify(body ?? minimalBody) : undefined };
}
