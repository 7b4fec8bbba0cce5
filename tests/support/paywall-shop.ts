import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { z } from 'zod';
import { createPaywall, evm, memoryStore, type Paywall, type PaywallOptions } from '@/packages/paywall';
import { solana } from '@/packages/paywall/solana';
import { balanceOf } from './balances';
import { envelopeFor, paymentHeader } from './buyer';
import { newEvmPayer, newSolanaPayer } from './payers';
import { type PaywallKeys, type PaywallNetworkName, paywallKeys } from './paywall-package';
import { network } from './stack';

/** A call for a shop to sell. */
export const sale = {
  id: 'words.count',
  path: '/words',
  price: '0.002',
  title: 'Count words',
  summary: 'Count the words of a text.',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ words: z.number().int() }),
  example: { input: { text: 'Hello, world' }, output: { words: 2 } },
  run: async () => ({ words: 2 }),
} as const;

/** A paywall in this process, in a bare Node server, with a settlement key and a payee of its own. */
export interface PaywallShop {
  readonly url: string;
  readonly paywall: Paywall;
  readonly payee: PaywallKeys['payee'];
  /** What the payee has got, in atomic USDC. */
  earned(): Promise<bigint>;
  /** A request that a new wallet has signed a payment for, to be sent as often as the test likes, with another body too. */
  signed(
    path: string,
    body: unknown,
  ): Promise<(other?: unknown, signal?: AbortSignal | null) => Promise<Response>>;
}

/**
 * Serves a paywall while something runs.
 * @param declare declares what it sells
 */
export async function withShop(
  declare: (paywall: Paywall) => void,
  use: (shop: PaywallShop) => Promise<void>,
  { on = 'base', ...options }: Partial<PaywallOptions> & { readonly on?: PaywallNetworkName } = {},
): Promise<void> {
  const { rpcUrl, usdc } = network(on);
  const { payee, settlementKey } = await paywallKeys(on);
  const terms = { rpcUrls: [rpcUrl], payTo: payee.address, usdc };
  let paywall: Paywall | undefined;
  const server = createServer((req, res) => paywall?.listener(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  paywall = createPaywall({
    name: 'Shop',
    publicUrl: url,
    secrets: [Buffer.alloc(32, 7).toString('base64')],
    store: memoryStore(),
    networks: [
      on === 'base'
        ? evm({ ...terms, network: on, settlementKeys: [settlementKey] })
        : solana({ ...terms, network: on, settlementKey }),
    ],
    log: pino({ level: 'silent' }),
    ...options,
  });
  declare(paywall);
  try {
    await paywall.start();
    await use({
      url,
      paywall,
      payee,
      earned: () => balanceOf(payee, on),
      async signed(path, body) {
        const payer = on === 'base' ? await newEvmPayer() : await newSolanaPayer();
        const envelope = await envelopeFor(url + path, payer, on);
        const headers = { 'Content-Type': 'application/json', ...paymentHeader(envelope) };
        return (other = body, signal = null) =>
          fetch(url + path, {
            method: 'POST',
            headers,
            signal,
            body: typeof other === 'string' ? other : JSON.stringify(other),
          });
      },
    });
  } finally {
    await paywall.stop();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
