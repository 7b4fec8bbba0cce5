import {
  createTransport,
  ExecutionRevertedError,
  HttpRequestError,
  RpcRequestError,
  type Transport,
} from 'viem';
import { z } from 'zod';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { RpcNode } from '@/lib/payments/rpc/rpc-node';
import type { Platform } from '@/lib/platform/platform';
import type { Timings } from '@/lib/platform/timings';

/** Nodes accept no more calls in one batch. */
const callsPerBatchMax = 1_000;

export interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}

interface WaitingCall extends RpcCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const answerSchema = z.object({
  id: z.number().nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});
type Answer = z.output<typeof answerSchema>;

/** Codes of errors that are about the call: a revert, a rejected transaction, an invalid request. Every node gives them. */
const codesOfCall: readonly number[] = [3, -32_003, -32_600, -32_602];
/** Codes of errors that are about the node: unknown, internal, and limits of several providers. */
const codesOfNode: readonly number[] = [-1, -32_603, -32_005, -32_007, 429];

const isBroadcast = ({ method }: RpcCall) => method === 'eth_sendRawTransaction';

/** viem transports to the RPCs of a network. */
interface Transports {
  /** Asks the first RPC that works. */
  readonly any: Transport;
  /** One for each RPC, in their order, whose answers are compared. */
  readonly each: readonly Transport[];
}

/**
 * Opens transports without a request. Calls made to an RPC in the same turn of the event loop share a JSON-RPC batch, which is
 * sent at the end of that turn. viem's own transport holds each batch until a timer fires, which costs every round trip a
 * millisecond, and uses the global `fetch`, which Next wraps with caching and tracing. What fails is asked once more if that
 * may help; broadcasts are not.
 */
export function openTransports(
  { clock, timings }: Pick<Platform, 'clock' | 'timings'>,
  nodes: RpcNodes,
): Transports {
  const { againMs, anyWithinMs, logsWithinMs } = timings.rpc;
  const callers = new Map(nodes.all.map((node) => [node, callerOf(node, timings)] as const));
  const callAt = (node: RpcNode, call: RpcCall) => (callers.get(node) ?? callerOf(node, timings))(call);
  const isWorthRepeating = (call: RpcCall, error: unknown) => !isBroadcast(call) && isAboutNode(error);
  return {
    any: transportOf((call) =>
      nodes.any((node) => callAt(node, call), {
        isFinal: isAboutCall,
        isBetter: (error) => error instanceof RpcRequestError,
        isRepeated: (error) => isWorthRepeating(call, error),
        limitMs: call.method === 'eth_getLogs' ? logsWithinMs : anyWithinMs,
      }),
    ),
    each: nodes.all.map((node) =>
      transportOf((call) =>
        node.witness(async () => {
          try {
            return await callAt(node, call);
          } catch (error) {
            if (!isWorthRepeating(call, error)) throw error;
            await clock.sleep(againMs);
            return callAt(node, call);
          }
        }),
      ),
    ),
  };
}

/** Makes calls to one RPC, in batches. */
function callerOf(node: RpcNode, timings: Timings): (call: RpcCall) => Promise<unknown> {
  let waiting: WaitingCall[] = [];
  const leave = () => {
    const calls = waiting;
    waiting = [];
    for (let start = 0; start < calls.length; start += callsPerBatchMax)
      void send(node, calls.slice(start, start + callsPerBatchMax), timings);
  };
  return ({ method, params }) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(leave);
      waiting.push({ method, params, resolve, reject });
    });
}

/** Errors are not retried by viem, which waits for as long as a node's `Retry-After` says. */
function transportOf(request: (call: RpcCall) => Promise<unknown>): Transport {
  return () =>
    createTransport({
      key: 'http',
      name: 'HTTP JSON-RPC',
      type: 'http',
      // viem's type lists the result of every method that it knows.
      request: request as Parameters<typeof createTransport>[0]['request'],
      retryCount: 0,
    });
}

function isAboutCall(error: unknown): boolean {
  if (!(error instanceof RpcRequestError)) return false;
  return codesOfCall.includes(error.code) || ExecutionRevertedError.nodeMessage.test(error.message);
}

function isAboutNode(error: unknown): boolean {
  return error instanceof RpcRequestError
    ? codesOfNode.includes(error.code)
    : error instanceof HttpRequestError;
}

/**
 * Makes a call in a request of its own, so that no other call waits for its response. It is not repeated.
 * @throws RpcSilent when there is no response within the limit
 */
export async function callAlone(node: RpcNode, call: RpcCall, limitMs: number): Promise<unknown> {
  const answer = answerSchema.parse(await node.askPatiently(textOf([call]), limitMs));
  return resultOf(call, answer);
}

function textOf(calls: readonly RpcCall[]): string {
  const bodies = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }));
  return JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
}

/** Sends calls in one HTTP request, and settles each. Never rejects. */
async function send(node: RpcNode, calls: readonly WaitingCall[], { rpc }: Timings): Promise<void> {
  try {
    const parsed = await node.ask({
      body: textOf(calls),
      limitMs: calls.some(({ method }) => method === 'eth_getLogs') ? rpc.logsWithinMs : rpc.answerWithinMs,
      mayRepeat: !calls.some(isBroadcast),
    });
    // A batch that the node rejects as a whole gets a single answer.
    const list = Array.isArray(parsed) ? parsed : calls.map((_, id) => ({ ...(parsed as object), id }));
    const answers = new Map(list.map((one) => answerSchema.parse(one)).map((one) => [one.id, one] as const));
    for (const [id, call] of calls.entries()) settle(call, answers.get(id));
    if ([...answers.values()].some(({ error }) => error && codesOfNode.includes(error.code))) node.doubt();
  } catch (error) {
    // It answered, but not with JSON-RPC.
    if (error instanceof z.ZodError) node.doubt();
    for (const { reject } of calls) reject(error);
  }
}

function settle(call: WaitingCall, answer?: Answer): void {
  try {
    call.resolve(resultOf(call, answer));
  } catch (error) {
    call.reject(error);
  }
}

function resultOf({ method, params }: RpcCall, answer?: Answer): unknown {
  if (!answer) throw new Error(`the response to ${method} is missing`);
  const { error } = answer;
  // Without the URL, which may contain a key.
  if (error) throw new RpcRequestError({ body: { method, params }, error, url: '' });
  return answer.result;
}
