import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { balanceOf } from './balances';
import { envelopeFor, paymentHeader, type Wallet } from './buyer';
import { emptyDatabase } from './new-database';
import { installPaywall, othersOf, type PaywallNetworkName, paywallSettings } from './paywall-package';

/** In place of the example's `words.mjs`. With HANGS, it says that it runs and never ends. It writes down what it has delivered. */
const words = `
import { appendFileSync } from 'node:fs';
export async function countWords(text, paidCallId) {
  if (process.env.HANGS) {
    appendFileSync('running', paidCallId + '\\n');
    await new Promise(() => undefined);
  }
  appendFileSync('delivered', paidCallId + '\\n');
  return { words: text.match(/\\S+/g)?.length ?? 0 };
}
`;

/** The example for Node with a database of its own, ready to be started. */
export interface NodeExample {
  readonly folder: string;
  readonly env: Record<string, string>;
  earned(): Promise<bigint>;
  /** A request that pays, for the test to send as often as it likes. */
  request(payer: Wallet): Promise<(port?: string) => Promise<Response>>;
  /** The lines that the program has written to one of its files. */
  lines(name: 'running' | 'delivered'): Promise<string[]>;
  drop(): Promise<void>;
}

/** The packages that `tuppence-paywall/solana` needs in addition. */
const forSolana = ['@solana/kit', '@solana/web3.js', '@x402/svm'];

/** What is changed in the example's server so that it takes payments on Solana. */
const onSolana: readonly (readonly [string, string])[] = [
  [
    "import { createPaywall, evm } from 'tuppence-paywall';",
    "import { createPaywall } from 'tuppence-paywall';",
  ],
  ["import { z } from 'zod';", "import { solana } from 'tuppence-paywall/solana';\nimport { z } from 'zod';"],
  ['evm({', 'solana({'],
  ['settlementKeys: [env.SETTLEMENT_KEY]', 'settlementKey: env.SETTLEMENT_KEY'],
];

/** Copies the example for Node into a folder, with what it needs. */
export async function openNodeExample(folder: string, on: PaywallNetworkName = 'base'): Promise<NodeExample> {
  await cp('examples/node', folder, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  await installPaywall(folder, [...othersOf(dependencies), ...(on === 'base' ? [] : forSolana)]);
  await writeFile(path.join(folder, 'words.mjs'), words);
  if (on !== 'base') {
    const server = path.join(folder, 'server.mjs');
    let text = await readFile(server, 'utf8');
    for (const [from, to] of onSolana) {
      if (!text.includes(from)) throw new Error(`the example has no ${from}`);
      text = text.replace(from, to);
    }
    await writeFile(server, text);
  }
  const database = await emptyDatabase();
  const { payee, env } = await paywallSettings(on);
  const port = new URL(env.PUBLIC_URL ?? '').port;
  return {
    folder,
    env: { ...env, PORT: port, DATABASE_URL: database.url },
    earned: () => balanceOf(payee, on),
    async request(payer) {
      const url = `${env.PUBLIC_URL}/words`;
      const headers = {
        'Content-Type': 'application/json',
        ...paymentHeader(await envelopeFor(url, payer, on)),
      };
      const body = JSON.stringify({ text: 'one two three' });
      return (other = port) => fetch(`http://127.0.0.1:${other}/words`, { method: 'POST', headers, body });
    },
    lines: async (name) =>
      (await readFile(path.join(folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    drop: () => database.drop(),
  };
}
