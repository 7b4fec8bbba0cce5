import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a node does with a request: it answers, accepts it and says nothing, sends a byte now and then, or fails. */
export type Behavior = 'answers' | 'hangs' | 'drips' | 'status-500' | 'status-429' | 'error' | 'garbage';

interface Call {
  readonly id: number;
  readonly method: string;
}

/** A JSON-RPC node that a test can break. It knows no chain, and returns the same for every method. */
export interface FaultyNode {
  readonly url: string;
  /** The methods of every call so far. */
  readonly asked: readonly string[];
  /** Sets what it does from now on, by method. Requests that it has kept silent about are then answered, if it answers. */
  behave(how: Behavior | ((method: string) => Behavior)): void;
  close(): Promise<void>;
}

const dripMs = 20;

/** @param result what it returns for a method; by default the number 5 */
export async function startFaultyNode(
  result: (method: string) => unknown = () => '0x5',
): Promise<FaultyNode> {
  let behavior: (method: string) => Behavior = () => 'answers';
  const asked: string[] = [];
  const kept = new Set<() => void>();
  const drips = new Set<NodeJS.Timeout>();

  const answer = (calls: readonly Call[], isBatch: boolean, response: ServerResponse) => {
    const answers = calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: result(method) }));
    response.end(JSON.stringify(isBatch ? answers : answers[0]));
  };
  const handle = (calls: readonly Call[], isBatch: boolean, response: ServerResponse): void => {
    const how = calls.map(({ method }) => behavior(method)).find((one) => one !== 'answers') ?? 'answers';
    switch (how) {
      case 'answers':
        answer(calls, isBatch, response);
        return;
      case 'hangs':
        kept.add(() => handle(calls, isBatch, response));
        return;
      case 'drips': {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), dripMs);
        drips.add(drip);
        return;
      }
      case 'error': {
        const error = { code: -32_603, message: 'internal error' };
        const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
        response.end(JSON.stringify(isBatch ? answers : answers[0]));
        return;
      }
      case 'garbage':
        response.end('<h1>It works</h1>');
        return;
      default:
        response.writeHead(Number(how.slice('status-'.length)), { 'Retry-After': '3600' }).end('no');
    }
  };

  const server = createServer(async (request, response) => {
    try {
      const body = (await json(request)) as Call | Call[];
      const calls = Array.isArray(body) ? body : [body];
      asked.push(...calls.map(({ method }) => method));
      handle(calls, Array.isArray(body), response);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behave(how) {
      behavior = typeof how === 'string' ? () => how : how;
      const waiting = [...kept];
      kept.clear();
      for (const again of waiting) again();
    },
    async close() {
      for (const drip of drips) clearInterval(drip);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
