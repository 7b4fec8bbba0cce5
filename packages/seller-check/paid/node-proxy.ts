import { z } from 'zod';
import { portOf, readBody, serve } from '@/local/http-server';
import { Faults, type Misbehavior } from './faults';

const call = z.object({
  id: z.unknown().optional(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const request = z.union([z.array(call), call]);
const reply = z.object({ result: z.unknown().optional(), error: z.unknown().optional() });

export type NodeCall = z.infer<typeof call>;

/** What a node answers to one call, or what it does with the whole connection instead. */
export type NodeAnswer =
  | { readonly result: unknown }
  | { readonly error: unknown }
  | 'cut'
  | 'hang'
  | 'nonsense'
  | 'status-500'
  | 'status-429';

/** A JSON-RPC node in front of a chain that misbehaves when told to. */
export interface NodeProxy {
  readonly url: string;
  readonly faults: Faults<NodeCall, NodeAnswer>;
  close(): Promise<void>;
}

/** The call that gives a node a signed transaction. */
export const submission = 'eth_sendRawTransaction';

// Hidden, so that every seller submits with the call above, and asks for the receipt afterwards.
const hiddenMethod = 'eth_sendRawTransactionSync';

const bytesMax = 4_000_000;

/** The node carries out the call, and the caller does not learn it. */
export const afterwards =
  (answer: NodeAnswer): Misbehavior<NodeCall, NodeAnswer> =>
  async (carryOut) => {
    await carryOut();
    return answer;
  };

/** The node answers this and carries out nothing. */
export const instead =
  (answer: NodeAnswer): Misbehavior<NodeCall, NodeAnswer> =>
  async () =>
    answer;

export async function startNodeProxy(upstream: string): Promise<NodeProxy> {
  const faults = new Faults<NodeCall, NodeAnswer>();

  const forward = async ({ method, params }: NodeCall): Promise<NodeAnswer> => {
    if (method === hiddenMethod) return { error: { code: -32_601, message: 'Method not found' } };
    const response = await fetch(upstream, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = reply.parse(await response.json());
    return error === undefined ? { result: result ?? null } : { error };
  };

  const server = await serve(async (incoming, response) => {
    const received = request.parse(JSON.parse(await readBody(incoming, bytesMax)));
    const calls = Array.isArray(received) ? received : [received];
    const answers = await Promise.all(calls.map((one) => faults.meet(one.method, one, () => forward(one))));
    const whole = answers.find((answer) => typeof answer === 'string');
    switch (whole) {
      case undefined: {
        const written = answers.map((answer, index) =>
          Object.assign({ jsonrpc: '2.0', id: calls[index]?.id }, answer),
        );
        const body = JSON.stringify(Array.isArray(received) ? written : written[0]);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
        return;
      }
      case 'hang':
        return;
      case 'cut':
        response.destroy();
        return;
      case 'nonsense':
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>');
        return;
      default:
        response.writeHead(Number(whole.slice('status-'.length)), { 'Retry-After': '1' }).end('try later');
    }
  }, 0);

  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    faults,
    async close() {
      faults.clear();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
