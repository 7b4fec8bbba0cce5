import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { findFreePort } from '@/local/free-port';
import { LocalChain } from './chain';
import { sendRequest } from './client';
import { startFacilitator } from './facilitator';
import { startNodeProxy } from './node-proxy';
import { requestOf, type Surroundings, type Target } from './seller';
import { type SellerProcess, startSeller } from './seller-process';

/** A local chain with what a seller needs to sell on it. */
export interface Rig {
  /** What the seller reads from its environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** Starts a seller with these settings. It ends with the rig. */
  start(seller: SellerStart): Promise<Surroundings>;
  /** Waits for a seller that somebody else starts with these settings. It cannot be killed and started again. */
  waitFor(target: Omit<Target, 'baseUrl'>): Promise<Surroundings>;
  close(): Promise<void>;
}

export interface SellerStart {
  readonly command: readonly [string, ...string[]];
  readonly folder?: string;
  /** Set beside the settings of the rig. */
  readonly env?: Readonly<Record<string, string>>;
  readonly target: Omit<Target, 'baseUrl'>;
}

/** Starts the chain, a node in front of it and the official facilitator. */
export async function startRig(): Promise<Rig> {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const chain = await LocalChain.start();
    closing.push(() => chain.stop());
    const node = await startNodeProxy(chain.rpcUrl);
    closing.push(() => node.close());
    const facilitator = await startFacilitator(node.url, chain.rpcUrl);
    closing.push(() => facilitator.close());
    const settlementKey = generatePrivateKey();
    await chain.fundGas(privateKeyToAccount(settlementKey).address);
    const port = await findFreePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const settings = {
      PUBLIC_URL: baseUrl,
      PORT: String(port),
      NETWORK: 'base',
      RPC_URL: node.url,
      USDC: chain.usdc,
      PAY_TO: privateKeyToAccount(generatePrivateKey()).address,
      SETTLEMENT_KEY: settlementKey,
      SECRET: randomBytes(32).toString('base64'),
      FACILITATOR_URL: facilitator.url,
    };
    const around = (target: Target, process: SellerProcess | null) => ({
      ...{ target, chain, node, facilitator, process },
    });
    return {
      settings,
      async start({ command, folder, env, target }) {
        const process = await startSeller({
          ...{ command, folder },
          env: { ...settings, ...env },
          isReady: () => isReady({ ...target, baseUrl }),
        });
        closing.push(() => process.stop());
        return around({ ...target, baseUrl }, process);
      },
      async waitFor(target) {
        const named = { ...target, baseUrl };
        while (!(await isReady(named))) await sleep(250);
        return around(named, null);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether the call is offered: many servers listen before they have read what they need. */
async function isReady(target: Target): Promise<boolean> {
  const { status } = await sendRequest(requestOf(target, {}), { timeoutMs: 2_000 });
  return status === 402;
}
