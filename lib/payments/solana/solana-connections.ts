import { Connection, type ConnectionConfig } from '@solana/web3.js';
import { z } from 'zod';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { Exchange } from '@/lib/payments/rpc/rpc-node';
import type { Timings } from '@/lib/platform/timings';

type Fetch = NonNullable<ConnectionConfig['fetch']>;

interface WithTimings {
  readonly timings: Timings;
}

const callSchema = z.looseObject({ method: z.string() });

/** Methods that search a history or return a block take longest. */
const longMethods: readonly string[] = ['getSignaturesForAddress', 'getBlock', 'getBlocks'];

/** Opens a connection to the first RPC that works, without a request. For data that no payment depends on by itself. */
export function connectToAny({ timings }: WithTimings, nodes: RpcNodes): Connection {
  return connect(timings, (exchange) =>
    nodes.any((node) => node.ask(exchange), {
      // JSON-RPC errors are answers here.
      isFinal: () => false,
      isRepeated: () => false,
      limitMs: Math.max(exchange.limitMs, timings.rpc.anyWithinMs),
    }),
  );
}

/** Opens a connection to each of the RPCs, which are compared, without a request. */
export function connectToEach({ timings }: WithTimings, nodes: RpcNodes): readonly Connection[] {
  return nodes.all.map((node) => connect(timings, (exchange) => node.witness(() => node.ask(exchange))));
}

/** A node's rate limit is an error, not a reason to wait. */
function connect(timings: Timings, ask: (exchange: Exchange) => Promise<unknown>): Connection {
  const send: Fetch = async (_, init) => {
    const body = String(init?.body);
    const { method } = callSchema.parse(JSON.parse(body));
    const limitMs = longMethods.includes(method) ? timings.rpc.logsWithinMs : timings.rpc.answerWithinMs;
    return Response.json(await ask({ body, limitMs, mayRepeat: method !== 'sendTransaction' }));
  };
  // Requests go to the RPCs above, so the address is never used.
  return new Connection('http://localhost', {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: send,
  });
}
