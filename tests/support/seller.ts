import { expect } from '@playwright/test';
import { sql } from './database';
import { aFile } from './files';
import { everyType } from './forms';
import { network, networkNames, stack, type TestNetwork } from './stack';
import { buySlot, uploadsUrl } from './uploads';

/** Who sells the call that an attack is about: our service, or an example that uses the package of the paywall. */
export interface Seller {
  readonly name: string;
  /** Where it is sold over x402, and over MPP. */
  readonly url: string;
  readonly mppUrl: string;
  readonly apiUrl: string;
  /** What its calls are stored under. */
  readonly operation: string;
  /** In atomic USDC. */
  readonly price: bigint;
  readonly networks: readonly TestNetwork['name'][];
  /** How many bytes of headers its host reads. */
  readonly headerBytesMax: number;
  /** Valid input, another one each time. */
  newBody(): string;
  /** What of the answer to a call nobody else may learn. */
  secretsIn(answer: string): readonly string[];
  payTo(on: TestNetwork['name']): string;
  /** Reads its database; null where it has none. */
  readonly query: typeof sql | null;
  /** Buys what a call at another path, of the same price, is about. Null where nothing else is sold. */
  readonly otherUrl:
    | ((wallet: Parameters<typeof buySlot>[0], on: TestNetwork['name']) => Promise<string>)
    | null;
}

/** A call of the service, by its path without the version. */
function serviceAt(
  path: string,
  own: Pick<Seller, 'operation' | 'price' | 'newBody' | 'secretsIn' | 'otherUrl'>,
): Seller {
  return {
    name: 'the service',
    get url() {
      return `${stack().apiUrl}/v1/${path}`;
    },
    get mppUrl() {
      return `${stack().apiUrl}/v1/mpp/${path}`;
    },
    get apiUrl() {
      return stack().apiUrl;
    },
    networks: networkNames,
    headerBytesMax: 32 * 1024,
    payTo: (on) => network(on).payTo,
    query: sql,
    ...own,
  };
}

/** The service, as it sells slots for uploads. */
export const theService = serviceAt('uploads', {
  operation: 'uploads.create',
  price: 5_000n,
  newBody: () => aFile().body,
  secretsIn: (answer) => [JSON.parse(answer).uploadUrl],
  otherUrl: async (wallet, on) => `${uploadsUrl()}/${(await buySlot(wallet, on)).id}/renew`,
});

/** The service, as it sells forms. */
export const theForms = serviceAt('forms', {
  operation: 'forms.create',
  price: 10_000n,
  newBody: () => JSON.stringify(everyType),
  secretsIn(answer) {
    const { id, readToken } = JSON.parse(answer);
    return [id, readToken];
  },
  otherUrl: null,
});

/** How many paid calls a wallet has, in any state; null where nobody can look. */
async function callsAt(seller: Seller, payer: string): Promise<number | null> {
  const rows = await seller.query?.<{ count: string }>('SELECT count(*) FROM paid_call WHERE payer = $1', [
    payer,
  ]);
  return rows ? Number(rows[0]?.count) : null;
}

/** Expects that a wallet has so many paid calls, where a look is possible. */
export async function expectCalls(seller: Seller, payer: string, count: number): Promise<void> {
  const found = await callsAt(seller, payer);
  if (found !== null) expect(found).toBe(count);
}
