import type { Operation } from '@/lib/catalog/operation';
import { type Call, fillPath } from '@/packages/client/calls/call';
import { makePaidCall, type PaidResponse } from '@/packages/client/calls/paid-call';
import { payerOf } from '@/packages/client/calls/payer';
import type { Adapter } from '../adapter';
import type { ToolOutcome } from './tool';

export type PaidOperation = Pick<Operation, 'id' | 'method' | 'paths' | 'price' | 'takesBody' | 'errors'>;

/** Calls a paid operation and returns its response unchanged. */
export async function buy(
  adapter: Adapter,
  operation: PaidOperation,
  input: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const response = await buyOperation(adapter, operation, input, signal);
  return { output: response.body, note: noteOf(response), afterDelivery: response.forget };
}

/** Like `buy`, for a tool that processes the response. */
export async function buyOperation(
  adapter: Adapter,
  { id, method, paths, price, errors }: PaidOperation,
  { params = {}, body }: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<PaidResponse> {
  const payer = await payerOf(adapter);
  const template = paths[payer.rail];
  if (!template) throw new Error(`${id} has no path on the ${payer.rail} rail.`);
  const { idempotencyKey } = adapter;
  const path = fillPath(template, params);
  const call: Call = { operation: id, method, path, body, price, refusals: errors, idempotencyKey };
  return makePaidCall(adapter, payer, call, signal);
}

/** What the assistant should know beyond the response: that it is the response to an earlier call, and warnings in headers. */
export function noteOf({ resumedFrom, headers }: PaidResponse): string | undefined {
  const unsupported = headers.get('unsupported-characters');
  const notes = [
    resumedFrom !== undefined &&
      `This is the response to the same call from ${resumedFrom}, which had not arrived. Both calls together were charged once.`,
    unsupported !== null &&
      `No font of the service has ${unsupported}. They are printed as boxes unless a font in the document has them.`,
  ].filter((note) => note !== false);
  return notes.length > 0 ? notes.join(' ') : undefined;
}
