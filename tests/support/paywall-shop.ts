import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { topUpGas } from '@/local/evm/funding';
import { createPaywall, evm, memoryStore, type Paywall, type PaywallOptions } from '@/packages/paywall';
import { balanceOf } from './balances';
import { envelopeFor, paymentHeader } from './buyer';
import { newEvmPayer } from './payers';
import { network } from './stack';

/** A paywall in this process, in a bare Node server, with a settlement key and a payee of its own. */
export interface PaywallShop {
  readonly url: string;
  readonly paywall: Paywall;
  readonly payee: PrivateKeyAccount;
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
  options: Partial<PaywallOptions> = {},
): Promise<void> {
  const { rpcUrl, usdc } = network('base');
  const key = generatePrivateKey();
  const payee = privateKeyToAccount(generatePrivateKey());
  await topUpGas(rpcUrl, privateKeyToAccount(key).address, 10n ** 18n);
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
      evm({ network: 'base', rpcUrls: [rpcUrl], payTo: payee.address, settlementKeys: [key], usdc }),
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
      earned: () => balanceOf(payee, 'base'),
      async signed(path, body) {
        const payer = await newEvmPayer();
        const envelope = await envelopeFor(url + path, payer, 'base');
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
