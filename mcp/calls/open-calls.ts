import { createHash, randomUUID } from 'node:crypto';
import type { OpenCall, SignedPayment, State } from '../account/state';
import type { Change, StateFile } from '../account/state-file';
import type { Adapter } from '../adapter';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import type { Payer } from './payer';
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
export async function beginCall(adapter: Adapter, payer: Pick<Payer, 'id'>, call: Call): Promise<OpenedCall> {
  const digest = digestOf(payer, call);
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
    const idempotencyKey = call.idempotencyKey ?? randomUUID();
    const entry: OpenCall = {
      operation: call.operation,
      accountId: payer.id,
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

/** The payment that was signed for an open call, if any. */
export async function readPayment(
  stateFile: StateFile,
  { digest, idempotencyKey }: OpenedCall,
): Promise<SignedPayment | undefined> {
  const entry = (await stateFile.read()).openCalls[digest];
  return entry?.idempotencyKey === idempotencyKey ? entry.payment : undefined;
}

/**
 * Saves a payment for an open call before it is sent, in place of `earlier`. If another process has saved one meanwhile,
 * that one is returned and must be sent, so that no call has two payments at the same time.
 */
export function savePayment(
  stateFile: StateFile,
  { digest, idempotencyKey }: OpenedCall,
  payment: SignedPayment,
  earlier: SignedPayment | undefined,
): Promise<SignedPayment> {
  return stateFile.update(async (state): Promise<Change<SignedPayment>> => {
    const entry = state.openCalls[digest];
    // Another process has the response already, so this payment is a retry under the same key.
    if (entry?.idempotencyKey !== idempotencyKey) return { state, result: payment };
    if (entry.payment && entry.payment.header !== earlier?.header) return { state, result: entry.payment };
    const openCalls = { ...state.openCalls, [digest]: { ...entry, payment } };
    return { state: { ...state, openCalls }, result: payment };
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
    message: `This call costs ${decimalOf(price)} USDC, and ${decimalOf(spent)} of the ${decimalOf(spendingCap)} USDC spending cap for today (UTC) are already spent. It was not sent, and nothing was charged. A person can raise TUPPENCE_SPENDING_CAP.`,
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
function digestOf({ id }: Pick<Payer, 'id'>, { method, path, body, idempotencyKey }: Call): string {
  const ownKey = idempotencyKey === undefined ? [] : [idempotencyKey];
  return createHash('sha256')
    .update(JSON.stringify([id, method, path, body ?? null, ...ownKey]))
    .digest('hex');
}
