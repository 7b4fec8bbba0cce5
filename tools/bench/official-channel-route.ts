// Baseline of payment channels: withX402 with the official server scheme, with its channels in memory as supplied, and the
// official facilitator in this process. What is sold costs nothing to make, which favors the baseline: ours writes an upload
// slot.
import { x402Facilitator } from '@x402/core/facilitator';
import { BatchSettlementEvmScheme as FacilitatorScheme } from '@x402/evm/batch-settlement/facilitator';
import { BatchSettlementEvmScheme as ServerScheme } from '@x402/evm/batch-settlement/server';
import { NextResponse } from 'next/server';
import type { Hex } from 'viem';
import { withX402, x402ResourceServer } from '../../tests/support/official-next';
import { account, officialSigner } from './official-signer';

const network = 'eip155:8453';
const facilitator = new x402Facilitator().register(network, new FacilitatorScheme(officialSigner));

// @x402/next 2.25 brings its own core; its types differ from those of 2.27 only by name.
type OfficialServer = x402ResourceServer;
type OfficialClient = ConstructorParameters<typeof x402ResourceServer>[0];
const inProcess = {
  verify: facilitator.verify.bind(facilitator),
  settle: facilitator.settle.bind(facilitator),
  getSupported: async () => facilitator.getSupported(),
} as unknown as OfficialClient;

// The server signs claims itself, so a voucher needs nothing from the facilitator.
const scheme = new ServerScheme(process.env.BENCH_PAY_TO as Hex, {
  receiverAuthorizerSigner: {
    address: account.address,
    signTypedData: (data) => account.signTypedData(data as Parameters<typeof account.signTypedData>[0]),
  },
  withdrawDelay: 86_400,
}) as unknown as Parameters<OfficialServer['register']>[1];

export const POST = withX402(
  async () => NextResponse.json({ id: 'up_000000000000000000000000', status: 'reserved' }),
  {
    accepts: {
      scheme: 'batch-settlement',
      price: '$0.005',
      network,
      payTo: process.env.BENCH_PAY_TO ?? '',
      maxTimeoutSeconds: 300,
      extra: { minDeposit: '$1' },
    },
    description: 'Reserve a slot for one file.',
  },
  new x402ResourceServer(inProcess).register(network, scheme),
);
