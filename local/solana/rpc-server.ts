import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { readBody, serve } from '../http-server';
import type { SolanaLedger } from './ledger';
import { controlMethods, readMethods } from './methods';
import { RpcError } from './rpc-error';
import { transactionMethods } from './transaction-methods';

const methods = new Map(Object.entries({ ...readMethods, ...transactionMethods, ...controlMethods }));
const bodyBytesMax = 5_000_000;

type Request = { id?: unknown; method?: unknown; params?: unknown };

async function handleRequest(ledger: SolanaLedger, request: Request) {
  const { id = null, method, params } = request ?? {};
  try {
    const run = typeof method === 'string' ? methods.get(method) : undefined;
    if (!run) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: await run(ledger, Array.isArray(params) ? params : []) };
  } catch (error) {
    const { code, message, data } =
      error instanceof RpcError ? error : new RpcError(-32603, `Internal error: ${String(error)}`);
    return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

async function handleBody(ledger: SolanaLedger, body: string): Promise<unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
  }
  if (!Array.isArray(parsed)) return handleRequest(ledger, parsed as Request);
  const responses: unknown[] = [];
  // One after the other, so that later requests of a batch see the effects of earlier ones.
  for (const request of parsed) responses.push(await handleRequest(ledger, request as Request));
  return responses;
}

async function handle(
  ledger: SolanaLedger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET' && request.url === '/health') return void response.end('ok');
  // Keeps web pages out: for this content type a browser first sends a preflight request, which gets no answer here.
  if (request.method !== 'POST' || !request.headers['content-type']?.startsWith('application/json')) {
    return void response.writeHead(415).end();
  }
  const answer = await handleBody(ledger, await readBody(request, bodyBytesMax));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Serves a chain over JSON-RPC on 127.0.0.1. Resolves when it listens. */
export function serveLedger(ledger: SolanaLedger, port: number): Promise<Server> {
  return serve((request, response) => handle(ledger, request, response), port);
}
