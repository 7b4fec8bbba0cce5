import { createHash, randomUUID } from 'node:crypto';
import type { Account, OpenCall, State } from '../account/state';
import type { Change } from '../account/state-file';
import type { Adapter } from '../adapter';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import { atomicOf, decimalOf } from './usdc';

/** The service keeps responses for at least 30 days. After that, a key is useless. */
const keptMs = 30 * 86_400_000;

/** A call whose key is on disk. */
export interface OpenedCall {
  readonly digest: string;
  readonly idempotencyKey: string;
  /** When an earlier attempt was made whose response never reached the assistant; undefined for a new call. */
  readonly resumedFrom: string | undefined;
}

/**
 * Saves the key of a call before it is sent. The same request gets the same key until `endCall`, so a retry after a lost
 * response is not charged again.
 * @throws ToolError `spending_cap_reached` if the price exceeds what may still be spent today
 */
export async function beginCall(adapter: Adapter, account: Account, call: Call): Promise<OpenedCall> {
  const digest = digestOf(account, call);
  return adapter.stateFile.update(async (state): Promise<Change<OpenedCall>> => {
    const open = state.openCalls[digest];
    if (open) {
      return {
        state,
        result: { digest, idempotencyKey: open.idempotencyKey, resumedFrom: open.sentAt },
      };
    }
    const at = adapter.now();
    const price = atomicOf(call.price) ?? 0n;
    refuseAboveCap(adapter, state, price, at);
    const idempotencyKey = randomUUID();
    const entry: OpenCall = {
      operation: call.operation,
      accountId: account.accountId,
      idempotencyKey,
      price: price.toString(),
      sentAt: at.toISOString(),
    };
    const openCalls = { ...withoutOld(state.openCalls, at), [digest]: entry };
    return {
      state: { ...state, openCalls },
      result: { digest, idempotencyKey, resumedFrom: undefined },
    };
  });
}

/** Deletes a key, because its response has arrived or it was certainly not charged. */
export async function endCall(
  adapter: Adapter,
  { digest, idempotencyKey }: OpenedCall,
  outcome: 'charged' | 'not_charged',
): Promise<void> {
  await adapter.stateFile.update(async (state) => {
    const entry = state.openCalls[digest];
    // Another adapter was faster, and may have started the next call already.
    if (entry?.idempotencyKey !== idempotencyKey) return { state, result: undefined };
    const { [digest]: _, ...openCalls } = state.openCalls;
    const day = dayOf(adapter.now());
    const amount = spentOn(state, day) + BigInt(entry.price);
    // A call from yesterday was counted yesterday.
    const isOfToday = outcome === 'charged' && entry.sentAt.startsWith(day);
    const spent = isOfToday ? { day, amount: amount.toString() } : state.spent;
    return { state: { ...state, openCalls, spent }, result: undefined };
  });
}

function refuseAboveCap(adapter: Adapter, state: State, price: bigint, at: Date): void {
  const day = dayOf(at);
  // Open calls may have been charged, so they count as spent.
  const open = Object.values(state.openCalls)
    .filter(({ sentAt }) => sentAt.startsWith(day))
    .reduce((sum, entry) => sum + BigInt(entry.price), 0n);
  const spent = spentOn(state, day) + open;
  const { spendingCap } = adapter.settings;
  if (price === 0n || spent + price <= spendingCap) return;
  throw new ToolError({
    code: 'spending_cap_reached',
    message: `This call costs ${decimalOf(price)} USDC, and ${decimalOf(spent)} of the ${decimalOf(spendingCap)} USDC spending cap for today (UTC) are already spent. It was not sent, and nothing was charged. A person can raise TUPPENCE_SPENDING_CAP in the assistant's settings.`,
    payment: 'none',
    retry: 'later',
  });
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const spentOn = ({ spent }: State, day: string): bigint => (spent?.day === day ? BigInt(spent.amount) : 0n);

function withoutOld(openCalls: State['openCalls'], at: Date): State['openCalls'] {
  const isKept = ({ sentAt }: OpenCall) => at.getTime() - Date.parse(sentAt) < keptMs;
  return Object.fromEntries(Object.entries(openCalls).filter(([, entry]) => isKept(entry)));
}

/** Bodies come from a schema, which orders their fields, so their JSON can be compared as text. */
function digestOf({ accountId }: Account, { method, path, body }: Call): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, method, path, body ?? null]))
    .digest('hex');
}
