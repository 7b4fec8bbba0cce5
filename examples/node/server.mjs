import { createServer } from 'node:http';
import { createPaywall, evm } from 'tuppence-paywall';
import { postgresStore } from 'tuppence-paywall/postgres';
import { z } from 'zod';
import { countWords } from './words.mjs';

const { env } = process;

const paywall = createPaywall({
  name: 'Word counter',
  publicUrl: env.PUBLIC_URL,
  secrets: [env.SECRET],
  store: postgresStore({ databaseUrl: env.DATABASE_URL }),
  networks: [
    evm({
      network: env.NETWORK,
      rpcUrls: [env.RPC_URL],
      payTo: env.PAY_TO,
      settlementKeys: [env.SETTLEMENT_KEY],
      usdc: env.USDC,
    }),
  ],
});

paywall.sell({
  id: 'words.count',
  path: '/words',
  price: '0.002',
  title: 'Count words',
  summary: 'Count the words of a text.',
  input: z.strictObject({ text: z.string().max(10_000) }),
  output: z.strictObject({ words: z.number().int() }),
  example: { input: { text: 'Hello, world' }, output: { words: 2 } },
  run: ({ text }, { paidCallId }) => countWords(text, paidCallId),
});

const port = env.PORT ?? new URL(env.PUBLIC_URL).port;
createServer(paywall.listener).listen(port, '127.0.0.1');
await paywall.start();
console.log(`selling at ${env.PUBLIC_URL}`);
