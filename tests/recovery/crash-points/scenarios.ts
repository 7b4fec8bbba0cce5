import { depositInto, fundedAccount, openAccount, purchase } from '../rig/accounts';
import type { SignedRequest, Wish } from '../rig/requests';
import type { Rig } from '../rig/rig';
import type { Way } from '../rig/ways';

/** A paid call whose every message is broken in every way. A new service adds its line here, and nothing else. */
export type Scenario = WalletScenario | AccountScenario;

interface WalletScenario {
  readonly what: string;
  readonly way: Way;
  /** What is bought while messages are broken. */
  readonly wish: (earlierId: string) => Wish;
  /** What the same wallet bought before, undisturbed; `wish` gets its id. */
  readonly earlier?: Wish;
}

interface AccountScenario {
  readonly what: string;
  /** Makes the account, undisturbed, and the one call that is paid into it or out of it. */
  readonly request: (rig: Rig) => Promise<SignedRequest>;
}

const upload = (): Wish => ({ path: '/uploads' });
const renewal = (id: string): Wish => ({ path: `/uploads/${id}/renew` });
const deletion = (id: string): Wish => ({ path: `/uploads/${id}`, method: 'DELETE' });

/** What a third party does is not done again by recovery: it is the buyer's own repetition that ends it. */
const webSearch = (): Wish => ({ path: '/serp/search', body: JSON.stringify({ q: 'red lighthouse' }) });
const airports = (): Wish => ({ path: '/airports/search', body: JSON.stringify({ query: 'tokio' }) });
const flights = (): Wish => ({
  path: '/flights/search',
  body: JSON.stringify({ origin: 'LIS', destination: 'LON', departureDate: '2098-03-04', maxResults: 2 }),
});
/** As the sandbox writes it: what was searched for, so that it can make the offer again. */
const offerId = `off_${Buffer.from('LISLON2098-03-04  economy 1 0').toString('base64url')}`;
export const offer = (): Wish => ({ path: `/flights/offers/${offerId}`, method: 'GET' });

export const scenarios: readonly Scenario[] = [
  { what: 'an upload, x402 on base', way: { rail: 'x402', on: 'base' }, wish: upload },
  { what: 'an upload, x402 on Solana', way: { rail: 'x402', on: 'solana-mainnet' }, wish: upload },
  { what: 'an upload, MPP on polygon', way: { rail: 'mpp', on: 'polygon' }, wish: upload },
  {
    what: 'a renewal, x402 on arbitrum',
    way: { rail: 'x402', on: 'arbitrum' },
    wish: renewal,
    earlier: upload(),
  },
  { what: 'a renewal, MPP on base', way: { rail: 'mpp', on: 'base' }, wish: renewal, earlier: upload() },
  {
    what: 'a deletion, x402 on Solana',
    way: { rail: 'x402', on: 'solana-mainnet' },
    wish: deletion,
    earlier: upload(),
  },
  {
    what: 'a deletion, MPP on arbitrum',
    way: { rail: 'mpp', on: 'arbitrum' },
    wish: deletion,
    earlier: upload(),
  },
  { what: 'a web search, x402 on base', way: { rail: 'x402', on: 'base' }, wish: webSearch },
  { what: 'a web search, MPP on arbitrum', way: { rail: 'mpp', on: 'arbitrum' }, wish: webSearch },
  { what: 'airports, x402 on base', way: { rail: 'x402', on: 'base' }, wish: airports },
  { what: 'flights, MPP on base', way: { rail: 'mpp', on: 'base' }, wish: flights },
  { what: 'a flight offer, x402 on polygon', way: { rail: 'x402', on: 'polygon' }, wish: offer },
  { what: 'a deposit, x402 on base', request: async (rig) => depositInto(rig, await openAccount(rig)) },
  {
    what: 'an upload, paid from an account',
    request: async (rig) => purchase(rig, await fundedAccount(rig)),
  },
];
