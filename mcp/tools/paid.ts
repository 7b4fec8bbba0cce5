import type { Operation } from '@/lib/catalog/operation';
import type { Adapter } from '../adapter';
import { type Bought, callOnAccount } from '../calls/account-call';
import { type Call, fillPath } from '../calls/call';
import type { ToolOutcome } from './tool';

/** An operation of the catalog that is also sold on the account rail. */
export type SoldOnAccount = Pick<Operation, 'id' | 'method' | 'paths' | 'price' | 'takesBody' | 'errors'>;

/** Buys an operation and hands over its answer as it is. */
export async function buy(
  adapter: Adapter,
  operation: SoldOnAccount,
  input: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const bought = await buyOperation(adapter, operation, input, signal);
  return { output: bought.body, note: noteOf(bought), afterDelivery: bought.forget };
}

/** As `buy`, for a tool that does more with the answer. */
export function buyOperation(
  adapter: Adapter,
  { id, method, paths, price, errors }: SoldOnAccount,
  { params = {}, body }: { params?: Readonly<Record<string, string>>; body?: unknown },
  signal: AbortSignal,
): Promise<Bought> {
  if (!paths.account) throw new Error(`${id} is not sold on the account rail`);
  const path = fillPath(paths.account, params);
  const call: Call = { operation: id, method, path, body, price, refusals: errors };
  return callOnAccount(adapter, call, signal);
}

/** Tells that an answer is an old one. */
export function noteOf({ resumedFrom }: Bought): string | undefined {
  if (resumedFrom === undefined) return undefined;
  return `This is the answer to the same call of ${resumedFrom}, which had not arrived; the two were charged once.`;
}
