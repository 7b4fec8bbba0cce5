// Baseline of everything that is paid: withX402 with the official facilitator in this process, put together as in the
// packages' own documentation. What is sold costs nothing to make, which favors the baseline: ours writes an upload slot.
import { x402Facilitator } from '@x402/core/facilitator';
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server';
import { NextResponse } from 'next/server';
import { withX402, x402ResourceServer } from '../../tests/support/official-next';
import { officialSigner } from './official-signer';

const network = 'eip155:8453';
const facilitator = new x402Facilitator().register(network, new FacilitatorScheme(officialSigner));

// @x402/next 2.25 brings its own core; its types differ from those of 2.27 only by name.
type OfficialClient = ConstructorParameters<typeof x402ResourceServer>[0];
const inProcess = {
  verify: facilitator.verify.bind(facilitator),
  settle: facilitator.settle.bind(facilitator),
  getSupported: async () => facilitator.getSupported(),
} as unknown as OfficialClient;

const server = new x402ResourceServer(inProcess).register(network, new ServerScheme());

export const POST = withX402(
  async () => NextResponse.json({ id: 'up_000000000000000000000000', status: 'reserved' }),
  {
    accepts: {
      scheme: 'exact',
      price: '$0.005',
      network,
      payTo: process.env.BENCH_PAY_TO ?? '',
      maxTimeoutSeconds: 300,
    },
    description: 'Reserve a slot for one file.',
  },
  server,
);
