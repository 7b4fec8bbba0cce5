// A bare Node app that sells one call with packages/paywall, whose calls are kept in memory. What is sold costs nothing to make, as
// that of the baseline.
import { createServer } from 'node:http';
import { z } from 'zod';
import { createPaywall, evm, memoryStore } from '@/packages/paywall';

const { env } = process;
const publicUrl = `http://127.0.0.1:${env.PORT}`;

const paywall = createPaywall({
  name: 'Bench',
  publicUrl,
  secrets: [Buffer.alloc(32, 1).toString('base64')],
  store: memoryStore(),
  networks: [
    evm({
      network: 'base',
      rpcUrls: [env.BENCH_RPC_URL ?? ''],
      payTo: env.BENCH_PAY_TO ?? '',
      settlementKeys: [env.BENCH_SIGNER_KEY ?? ''],
    }),
  ],
});

paywall.sell({
  id: 'slots.reserve',
  path: '/slots',
  price: '0.005',
  title: 'Reserve a slot',
  summary: 'Reserve a slot for one file.',
  input: z.strictObject({
    mime: z.string(),
    size: z.number(),
    sha256: z.string(),
    sha256Base64: z.string(),
    filename: z.string(),
  }),
  output: z.strictObject({ id: z.string(), status: z.string() }),
  example: {
    input: { mime: 'text/plain', size: 1, sha256: '00', sha256Base64: 'AA==', filename: 'a.txt' },
    output: { id: 'up_000000000000000000000000', status: 'reserved' },
  },
  run: async () => ({ id: 'up_000000000000000000000000', status: 'reserved' }),
});

const server = createServer(paywall.listener);
await paywall.start();
server.listen(Number(env.PORT), '127.0.0.1', () => process.send?.({ isReady: true }));
