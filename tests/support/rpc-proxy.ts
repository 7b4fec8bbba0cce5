import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

/** What happens to the whole connection instead of an answer. */
export type ConnectionFault = { fault: 'close' | 'reset' | 'truncate' | 'status-500' | 'drip' };

/** Handles one call: forwards it any number of times, and decides what comes back. */
export type Action = (
  call: RpcCall,
  forward: () => Promise<RpcAnswer>,
) => Promise<RpcAnswer | ConnectionFault>;

export interface When {
  /** Matches by parameters. Without it, every call of the method matches. */
  params?: (params: readonly unknown[]) => boolean;
  /** Acts on the nth matching call and later ones, counted from when the rule is made. The default is 1. */
  nth?: number;
  /** Acts on this many calls only. The default is all of them. */
  times?: number;
}

/** An active rule. */
export interface Rule {
  /** How many calls it has acted on. */
  readonly hits: number;
  /** Resolves when it has acted on a call for the first time. */
  readonly reached: Promise<RpcCall>;
  remove(): void;
}

/** A rule that holds calls until the test releases them. */
export interface Hold extends Rule {
  /** Lets the held calls continue, and later ones pass. */
  release(): void;
  /** Cuts the connections of the held calls, which are no longer forwarded. */
  abandon(): void;
}

/** A JSON-RPC proxy in front of a chain, in which a test can lose, hold, repeat or falsify single calls. */
export interface RpcProxy {
  readonly url: string;
  /** How often a method was called. */
  count(method: string): number;
  /** The newest rule that matches a call handles it; `*` matches every method. */
  on(method: string, action: Action, when?: When): Rule;
  /** Holds calls before they are forwarded, or afterwards, with the answer received but not passed on. */
  hold(method: string, at: 'before' | 'after', when?: When): Hold;
  /** Removes every rule, and abandons the calls that they hold. */
  clear(): void;
  close(): Promise<void>;
}

/** The request never arrives, and the caller sees its connection end. */
export const loseRequest: Action = async () => ({ fault: 'close' });

/** The request arrives, but its answer does not. */
export const loseAnswer: Action = async (_, forward) => {
  await forward();
  return { fault: 'close' };
};

/** The request arrives; the connection is reset, or ends in the middle of the answer, or a gateway answers 500. */
export const breakAnswer =
  (fault: ConnectionFault['fault']): Action =>
  async (_, forward) => {
    await forward();
    return { fault };
  };

/** The request arrives; its answer is delayed. */
export const delayAnswer =
  (ms: number): Action =>
  async (_, forward) => {
    const answer = await forward();
    await sleep(ms);
    return answer;
  };

/** The request arrives twice. */
export const repeatRequest: Action = async (_, forward) => {
  const answer = await forward();
  await forward();
  return answer;
};

/** The request arrives, but the caller is told that it failed. */
export const claimFailure =
  (message: string): Action =>
  async (_, forward) => {
    await forward();
    return { error: { code: -32000, message } };
  };

/** Changes the result that the chain returned. */
export const falsify =
  (alter: (result: unknown) => unknown): Action =>
  async (_, forward) => {
    const answer = await forward();
    return 'result' in answer ? { result: alter(answer.result) } : answer;
  };

interface ActiveRule {
  readonly method: string;
  readonly action: Action;
  readonly when: When;
  seen: number;
  hits: number;
  readonly reach: (call: RpcCall) => void;
}

/** Hidden from most servers under test, which then send as usual and poll for receipts. */
const synchronousSend = 'eth_sendRawTransactionSync';

const methodNotFound = { error: { code: -32_601, message: 'Method not found' } };

/** Makes a Solana node list no transactions up to this slot, and reject callers that require a later one. */
export function listUntil(node: RpcProxy, slot: number): Rule {
  const message = 'Minimum context slot has not been reached';
  return node.on('getSignaturesForAddress', async ({ params: [, config] }) =>
    Number((config as { minContextSlot?: number }).minContextSlot) > slot
      ? { error: { code: -32016, message } }
      : { result: [] },
  );
}

export interface RpcProxyOptions {
  /** Whether the node appears to support synchronous sends; false by default. */
  readonly sendsSynchronously?: boolean;
}

export async function startRpcProxy(
  upstreamUrl: string,
  { sendsSynchronously = false }: RpcProxyOptions = {},
): Promise<RpcProxy> {
  const upstream = new URL(upstreamUrl);
  // Uses node:http: fetch costs three times as much, and every call of every server under test goes through here.
  const agent = new Agent({ keepAlive: true });
  const counts = new Map<string, number>();
  const rules: ActiveRule[] = [];
  const holds = new Set<Hold>();

  const actOn = (call: RpcCall): Promise<RpcAnswer | ConnectionFault> => {
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1);
    const isMissing = call.method === synchronousSend && !sendsSynchronously;
    const forward = async (): Promise<RpcAnswer> =>
      isMissing ? methodNotFound : forwardCall(upstream, agent, call);
    for (const rule of rules.toReversed()) {
      if (![call.method, '*'].includes(rule.method) || rule.when.params?.(call.params) === false) continue;
      rule.seen += 1;
      const { nth = 1, times = Number.POSITIVE_INFINITY } = rule.when;
      if (rule.seen < nth || rule.hits >= times) continue;
      rule.hits += 1;
      rule.reach(call);
      return rule.action(call, forward);
    }
    return forward();
  };

  const server = createServer(async (request, response) => {
    try {
      const asked = (await json(request)) as RpcCall | RpcCall[];
      // Some clients leave out `params` when a method takes none.
      const calls = (Array.isArray(asked) ? asked : [asked]).map((call) => ({
        ...call,
        params: call.params ?? [],
      }));
      const outcomes = await Promise.all(calls.map(actOn));
      const answers = outcomes.map((outcome, index) => ({
        jsonrpc: '2.0',
        id: calls[index]?.id,
        ...outcome,
      }));
      const fault = outcomes.find((outcome) => 'fault' in outcome);
      respond(response, JSON.stringify(Array.isArray(asked) ? answers : answers[0]), fault?.fault);
    } catch {
      // The chain is down, or sent an invalid response.
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const on = (method: string, action: Action, when: When = {}): Rule => {
    let reach: (call: RpcCall) => void = () => undefined;
    const reached = new Promise<RpcCall>((resolve) => {
      reach = resolve;
    });
    const rule: ActiveRule = { method, action, when, seen: 0, hits: 0, reach };
    rules.push(rule);
    return {
      get hits() {
        return rule.hits;
      },
      reached,
      remove() {
        const index = rules.indexOf(rule);
        if (index >= 0) rules.splice(index, 1);
      },
    };
  };

  const hold = (method: string, at: 'before' | 'after', when: When = {}): Hold => {
    const { promise: decided, resolve: decide } = withResolvers<'release' | 'abandon'>();
    const { promise: reached, resolve: reach } = withResolvers<RpcCall>();
    const rule = on(
      method,
      async (call, forward) => {
        const answer = at === 'after' ? await forward() : null;
        reach(call);
        if ((await decided) === 'abandon') return { fault: 'close' };
        return answer ?? forward();
      },
      when,
    );
    const end = (decision: 'release' | 'abandon') => () => {
      rule.remove();
      decide(decision);
    };
    const held: Hold = {
      get hits() {
        return rule.hits;
      },
      reached,
      remove: end('release'),
      release: end('release'),
      abandon: end('abandon'),
    };
    holds.add(held);
    return held;
  };

  const clear = () => {
    for (const held of holds) held.abandon();
    holds.clear();
    rules.length = 0;
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (method) => counts.get(method) ?? 0,
    on,
    hold,
    clear,
    async close() {
      clear();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

async function forwardCall(upstream: URL, agent: Agent, { method, params }: RpcCall): Promise<RpcAnswer> {
  const sent = request(upstream, {
    method: 'POST',
    agent,
    headers: { 'Content-Type': 'application/json' },
  });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('no response');
  const { result, error } = (await json(response)) as {
    result?: unknown;
    error?: { code: number; message: string };
  };
  return error ? { error } : { result: result ?? null };
}

function respond(response: ServerResponse, body: string, fault?: ConnectionFault['fault']): void {
  switch (fault) {
    case 'close':
      response.destroy();
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
      });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    case 'drip': {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(drip));
      return;
    }
    case 'status-500':
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end('Internal Server Error');
      return;
    case undefined:
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  }
}
