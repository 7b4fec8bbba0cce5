import type { Operation } from '@/lib/catalog/operation';
import type { Adapter } from '../adapter';
import { callOnAccount, type PaidResponse } from '../calls/account-call';
import { type Call, fillPath } from '../calls/call';
import type { ToolOutcome } from './tool';

/** An operation that can be paid from an account. */
export type AccountOperation = Pick<Operation, 'id' | 'method' | 'paths' | 'price' | 'takesBody' | 'errors'>;

/** Calls a paid operation and returns its response unchanged. */
export async function buy(
  adapter: Adapter,
  operation: AccountOperation,
  input: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const response = await buyOperation(adapter, operation, input, signal);
  return { output: response.body, note: noteOf(response), afterDelivery: response.forget };
}

/** Like `buy`, for a tool that processes the response. */
export function buyOperation(
  adapter: Adapter,
  { id, method, paths, price, errors }: AccountOperation,
  { params = {}, body }: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<PaidResponse> {
  if (!paths.account) throw new Error(`${id} has no path on the account rail.`);
  const path = fillPath(paths.account, params);
  const call: Call = { operation: id, method, path, body, price, refusals: errors };
  return callOnAccount(adapter, call, signal);
}

/** A note for a response to an earlier call. */
export function noteOf({ resumedFrom }: PaidResponse): string | undefined {
  if (resumedFrom === undefined) return undefined;
  return `This is the response to the same call from ${resumedFrom}, which had not arrived. Both calls together were charged once.`;
}
