import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { type Chain, createWalletClient, http, publicActions } from 'viem';
import { generatePrivateKey, nonceManager, privateKeyToAccount } from 'viem/accounts';
import { arbitrum, base, polygon } from 'viem/chains';
import { topUpGas } from '@/local/evm/funding';

/** What the caller gets instead of the facilitator's own response. */
export type Reply =
  | { readonly status: number; readonly body: unknown }
  /** Ends the connection without a response, or keeps it open until the caller gives up. */
  | 'close'
  | 'hang';

/** Handles one request to a route: carries it out or not, and decides what the caller gets. */
export type Behaviour = (doIt: () => Promise<SettleResponse>, payload: PaymentPayload) => Promise<Reply>;

export interface Facilitator {
  readonly url: string;
  /** The required bearer token, unless the facilitator checks requests in another way. */
  readonly token: string;
  /** How many authorized requests a route has received. */
  count(route: 'verify' | 'settle' | 'supported'): number;
  /** Handles the next `times` requests to a route this way; by default all of them. */
  on(route: 'verify' | 'settle', behavior: Behaviour, times?: number): void;
  /** Keeps every request to these routes open until the caller gives up. */
  hang(...routes: readonly ('verify' | 'settle' | 'supported')[]): void;
  /** Handles everything as the official packages do. */
  heal(): void;
  close(): Promise<void>;
}

type EvmChainName = 'base' | 'polygon' | 'arbitrum';

/** Whether a request is authorized; others get 401. */
export type Check = (request: IncomingMessage) => Promise<boolean>;

/** The chains that the facilitator settles on, by our names, and the key that pays Solana fees. */
export interface FacilitatorChains {
  readonly evm: Readonly<Partial<Record<EvmChainName, string>>>;
  readonly solana?: { readonly url: string; readonly feePayerKey: string };
}

/**
 * A remote x402 facilitator: the official one, with the official schemes, behind its documented routes. A test can make it
 * lose, delay or falsify answers. It has a key of its own on every chain.
 * @param check by default, that a request carries the bearer token
 */
export async function startFacilitator(chains: FacilitatorChains, check?: Check): Promise<Facilitator> {
  const official = await officialFacilitator(chains);
  const token = `token-${generatePrivateKey().slice(2, 18)}`;
  const isAuthorized = check ?? (async ({ headers }) => headers.authorization === `Bearer ${token}`);
  const counts = { verify: 0, settle: 0, supported: 0 };
  const hanging = new Set<string>();
  const rules: { route: string; behavior: Behaviour; left: number }[] = [];

  const reply = async (route: string, request: IncomingMessage): Promise<Reply> => {
    if (!(await isAuthorized(request))) return { status: 401, body: { error: 'unauthorized' } };
    if (route !== 'verify' && route !== 'settle' && route !== 'supported')
      return { status: 404, body: { error: 'not found' } };
    counts[route] += 1;
    if (hanging.has(route)) return 'hang';
    if (route === 'supported') return { status: 200, body: official.getSupported() };
    const { paymentPayload, paymentRequirements } = (await json(request)) as {
      paymentPayload: PaymentPayload;
      paymentRequirements: PaymentRequirements;
    };
    const rule = rules.find((one) => one.route === route && one.left > 0);
    if (rule) {
      rule.left -= 1;
      return rule.behavior(() => official.settle(paymentPayload, paymentRequirements), paymentPayload);
    }
    return { status: 200, body: await official[route](paymentPayload, paymentRequirements) };
  };

  const server = createServer(async (request, response) => {
    try {
      send(response, await reply((request.url ?? '').slice(1), request));
    } catch (error) {
      send(response, { status: 500, body: { error: String(error) } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    count: (route) => counts[route],
    on: (route, behavior, times = Number.POSITIVE_INFINITY) => {
      rules.push({ route, behavior, left: times });
    },
    hang: (...routes) => {
      for (const route of routes) hanging.add(route);
    },
    heal: () => {
      hanging.clear();
      rules.length = 0;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const evmChains: Readonly<Record<EvmChainName, Chain>> = { base, polygon, arbitrum };

async function officialFacilitator({ evm, solana }: FacilitatorChains): Promise<x402Facilitator> {
  const facilitator = new x402Facilitator();
  for (const [name, chain] of Object.entries(evmChains)) {
    const url = evm[name as EvmChainName];
    if (url === undefined) continue;
    // By default each send reads the nonce from the node, so simultaneous sends would collide.
    const account = privateKeyToAccount(generatePrivateKey(), { nonceManager });
    await topUpGas(url, account.address, 10n ** 20n);
    const client = createWalletClient({ account, chain, transport: http(url), pollingInterval: 50 });
    const wallet = Object.assign(client.extend(publicActions), { address: account.address });
    // The package's own example passes viem's client too. The declared parameter type is stricter than what is used.
    const signer = toFacilitatorEvmSigner(wallet as unknown as Parameters<typeof toFacilitatorEvmSigner>[0]);
    facilitator.register(`eip155:${chain.id}`, new ExactEvmScheme(signer));
  }
  if (!solana) return facilitator;
  const key = await createKeyPairSignerFromBytes(getBase58Encoder().encode(solana.feePayerKey));
  const signer = toFacilitatorSvmSigner(key, { defaultRpcUrl: solana.url });
  return facilitator.register('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', new ExactSvmScheme(signer));
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'close') {
    response.destroy();
    return;
  }
  response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply.body));
}
