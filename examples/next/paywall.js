import { createPaywall, evm, memoryStore } from 'tuppence-paywall';
import { z } from 'zod';

const { env } = process;

export const paywall = createPaywall({
  name: 'Word counter',
  publicUrl: env.PUBLIC_URL,
  secrets: [env.SECRET],
  store: memoryStore(),
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
  price: '0.001',
  title: 'Count words',
  summary: 'Count the words of a text.',
  input: z.strictObject({ text: z.string().max(10_000) }),
  output: z.strictObject({ words: z.number().int() }),
  example: { input: { text: 'Hello, world' }, output: { words: 2 } },
  run: async ({ text }) => ({ words: text.match(/\S+/g)?.length ?? 0 }),
});
