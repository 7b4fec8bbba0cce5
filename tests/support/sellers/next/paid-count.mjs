// Route handlers with the official wrapper for Next.js, as in the README of @x402/next.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { withX402, x402ResourceServer } from '@x402/next';
import { NextResponse } from 'next/server';

const { env } = process;

const facilitatorClient = new HTTPFacilitatorClient({ url: env.FACILITATOR_URL });
const server = new x402ResourceServer(facilitatorClient).register('eip155:8453', new ExactEvmScheme());

/** A handler that answers a count of what matches, or 400. */
export const paidCount = (pattern, description) =>
  withX402(
    async (request) => {
      const { text } = await request.json().catch(() => ({}));
      if (typeof text !== 'string')
        return NextResponse.json({ error: 'text must be a string' }, { status: 400 });
      return NextResponse.json({ count: text.match(pattern)?.length ?? 0 });
    },
    {
      accepts: { scheme: 'exact', price: '$0.002', network: 'eip155:8453', payTo: env.PAY_TO },
      description,
    },
    server,
  );
