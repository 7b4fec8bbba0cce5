import { x402Facilitator } from '@x402/core/facilitator';
import { parsePaymentPayload, parsePaymentRequirements } from '@x402/core/schemas';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, http, publicActions } from 'viem';
import { generatePrivateKey, nonceManager, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { topUpGas } from '@/local/evm/funding';
import { portOf, readBody, serve } from '@/local/http-server';
import { Faults } from './faults';

type Route = 'verify' | 'settle' | 'supported';

/** What a facilitator answers, or what it does with the connection instead. */
export type FacilitatorAnswer = { readonly status: number; readonly body: unknown } | 'cut' | 'hang';

/** The official facilitator over HTTP, which misbehaves when told to. */
export interface Facilitator {
  readonly url: string;
  readonly faults: Faults<Route, FacilitatorAnswer>;
  /** How many payments it was given to verify or to settle. A seller that never uses it has none. */
  readonly calls: number;
  /** Makes a facilitator with a new key, whose transactions wait for none of the last one's. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** How long it waits for a transaction to be included. Its default is three minutes. */
const confirmationTimeoutMs = 8_000;

const bytesMax = 1_000_000;

/**
 * @param nodeUrl the node that it sends transactions to, through which the chain can misbehave
 * @param chainUrl the chain itself
 */
export async function startFacilitator(nodeUrl: string, chainUrl: string): Promise<Facilitator> {
  const faults = new Faults<Route, FacilitatorAnswer>();
  let official = await officialFacilitator(nodeUrl, chainUrl);
  let calls = 0;

  const carryOut = async (route: Route, text: string): Promise<FacilitatorAnswer> => {
    if (route === 'supported') return { status: 200, body: official.getSupported() };
    const sent: unknown = JSON.parse(text);
    const { paymentPayload, paymentRequirements } = sent as Record<string, unknown>;
    const payload = parsePaymentPayload(paymentPayload);
    const requirements = parsePaymentRequirements(paymentRequirements);
    if (!payload.success || !requirements.success) return { status: 400, body: { error: 'invalid request' } };
    // What has passed the official schemas of both versions; the scheme that is registered takes only the second.
    const body = await official[route](
      payload.data as Parameters<x402Facilitator['verify']>[0],
      requirements.data as Parameters<x402Facilitator['verify']>[1],
    );
    return { status: 200, body };
  };

  const server = await serve(async (request, response) => {
    const route = routeOf(request.url);
    if (!route) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    const text = await readBody(request, bytesMax);
    if (route !== 'supported') calls += 1;
    const answer = await faults.meet(route, route, () =>
      carryOut(route, text).catch((error) => ({ status: 500, body: { error: String(error) } })),
    );
    if (answer === 'hang') return;
    if (answer === 'cut') {
      response.destroy();
      return;
    }
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(body);
  }, 0);

  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    faults,
    get calls() {
      return calls;
    },
    async renew() {
      official = await officialFacilitator(nodeUrl, chainUrl);
    },
    async close() {
      faults.clear();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function routeOf(url = ''): Route | null {
  const route = url.slice(1);
  return route === 'verify' || route === 'settle' || route === 'supported' ? route : null;
}

async function officialFacilitator(nodeUrl: string, chainUrl: string): Promise<x402Facilitator> {
  // With the account as supplied, each submission reads the nonce from the node, and simultaneous ones collide.
  const account = privateKeyToAccount(generatePrivateKey(), { nonceManager });
  await topUpGas(chainUrl, account.address, 10n ** 20n);
  const client = createWalletClient({
    account,
    chain: base,
    transport: http(nodeUrl, { timeout: 4_000 }),
    pollingInterval: 50,
  });
  const wallet = Object.assign(client.extend(publicActions), { address: account.address });
  // The package's own example passes viem's client too. The declared parameter type is stricter than what is used.
  const signer = toFacilitatorEvmSigner(wallet as unknown as Parameters<typeof toFacilitatorEvmSigner>[0], {
    confirmationTimeoutMs,
  });
  return new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer));
}
