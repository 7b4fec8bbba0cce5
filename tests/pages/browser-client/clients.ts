import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { privateKeyToAccount } from 'viem/accounts';

/** The official clients of both protocols, unmodified, as a page bundles them. The page that the test opens has these functions. */

export interface PageCall {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface PageAnswer {
  readonly status: number;
  /** All that the browser lets the page read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PageClients {
  send(call: PageCall): Promise<PageAnswer>;
  payX402(call: PageCall, key: `0x${string}`): Promise<PageAnswer>;
  payMpp(call: PageCall, key: `0x${string}`, chainId: number, token: `0x${string}`): Promise<PageAnswer>;
}

async function answerOf(fetching: typeof fetch, { url, ...init }: PageCall): Promise<PageAnswer> {
  const response = await fetching(url, init);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

const clients: PageClients = {
  send: (call) => answerOf(fetch, call),
  payX402(call, key) {
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(key)));
    return answerOf(wrapFetchWithPayment(fetch, client) as typeof fetch, call);
  },
  payMpp(call, key, chainId, token) {
    const method = charge({
      account: privateKeyToAccount(key),
      authorization: { name: 'USD Coin', version: '2' },
      currencies: [token],
      decimals: 6,
      maxAmount: '1',
      networks: [chainId],
    });
    const { fetch: paying } = Mppx.create({ polyfill: false, methods: [method] });
    return answerOf(paying as typeof fetch, call);
  },
};

Object.assign(globalThis, { clients });
