import { createHash, randomUUID } from 'node:crypto';
import type { Account, OpenCall, State } from '../account/state';
import type { Change } from '../account/state-file';
import type { Adapter } from '../adapter';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import { atomicOf, decimalOf } from './usdc';

/** The service keeps its answers for 30 days at least; after that, a key finds nothing. */
const keptMs = 30 * 86_400_000;

/** A call whose key is on disk. */
export interface BegunCall {
  readonly digest: string;
  readonly idempotencyKey: string;
  /** When an earlier attempt, whose answer never reached the assistant, was begun; undefined for a new call. */
  readonly resumedFrom: string | undefined;
}

/**
 * Writes down the key of a call before it is sent. The same request gets the same key until `endCall`: whoever repeats a call
 * whose answer was lost is answered, and not charged again.
 * @throws ToolError `spending_cap_reached` when the price does not fit into what may be spent today
 */
export async function beginCall(adapter: Adapter, account: Account, call: Call): Promise<BegunCall> {
  const digest = digestOf(account, call);
  return adapter.stateFile.update(async (state): Promise<Change<BegunCall>> => {
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

/** Forgets a key: its answer has arrived, or it certainly bought nothing. */
export async function endCall(
  adapter: Adapter,
  { digest, idempotencyKey }: BegunCall,
  outcome: 'charged' | 'not_charged',
): Promise<void> {
  await adapter.stateFile.update(async (state) => {
    const entry = state.openCalls[digest];
    // Another adapter was faster, and may have begun the next one already.
    if (entry?.idempotencyKey !== idempotencyKey) return { state, result: undefined };
    const { [digest]: _, ...openCalls } = state.openCalls;
    const day = dayOf(adapter.now());
    const amount = spentOn(state, day) + BigInt(entry.price);
    // A call of yesterday was counted yesterday.
    const isOfToday = outcome === 'charged' && entry.sentAt.startsWith(day);
    const spent = isOfToday ? { day, amount: amount.toString() } : state.spent;
    return { state: { ...state, openCalls, spent }, result: undefined };
  });
}

function refuseAboveCap(adapter: Adapter, state: State, price: bigint, at: Date): void {
  const day = dayOf(at);
  // What may still turn out to be charged counts as spent.
  const open = Object.values(state.openCalls)
    .filter(({ sentAt }) => sentAt.startsWith(day))
    .reduce((sum, entry) => sum + BigInt(entry.price), 0n);
  const spent = spentOn(state, day) + open;
  const { spendingCap } = adapter.settings;
  if (price === 0n || spent + price <= spendingCap) return;
  throw new ToolError({
    code: 'spending_cap_reached',
    message: `This call costs ${decimalOf(price)} USDC, and ${decimalOf(spent)} of the ${decimalOf(spendingCap)} USDC that may be spent per day (UTC) are spent. It was not sent and nothing was charged. A person can raise TUPPENCE_SPENDING_CAP in the settings of the assistant.`,
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

/** Bodies come out of a schema, which orders their fields; so their text is enough to compare them by. */
function digestOf({ accountId }: Account, { method, path, body }: Call): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, method, path, body ?? null]))
    .digest('hex');
}
