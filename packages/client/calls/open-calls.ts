import { createHash, randomUUID } from 'node:crypto';
import type { OpenCall, SignedPayment, State } from '../account/account-state';
import type { Change, StateFile } from '../account/state-file';
import type { Adapter } from '../adapter/adapter';
import { ToolError } from '../tool-error';
import type { Call } from './call';
import type { Payer } from './payer';
import { atomicOf, decimalOf } from './usdc';

/** Why a call must not be paid for. */
interface AboveCap {
  readonly code: 'spending_cap_reached';
  readonly message: string;
}

/**
 * Whether a price exceeds what may still be spent today.
 * @param state without the call itself
 * @param consequence what this means for the call, as a sentence
 */
function findAboveCap(
  { settings: { spendingCap }, now }: Pick<Adapter, 'settings' | 'now'>,
  state: Pick<State, 'openCalls' | 'spent'>,
  price: bigint,
  consequence: string,
): AboveCap | undefined {
  const day = dayOf(now());
  // Open calls may have been charged, so they count as spent.
  const open = Object.values(state.openCalls)
    .filter((entry) => !isCounted(entry) && entry.sentAt.startsWith(day))
    .reduce((sum, entry) => sum + BigInt(entry.price), 0n);
  const spent = spentOn(state, day) + open;
  if (price === 0n || spent + price <= spendingCap) return undefined;
  return {
    code: 'spending_cap_reached',
    message: `This call costs ${decimalOf(price)} USDC, and ${decimalOf(spent)} of the ${decimalOf(spendingCap)} USDC spending cap for today (UTC) are already spent. A payment that a wallet signed counts as spent, even if the service refused it. ${consequence} A person can raise TUPPENCE_SPENDING_CAP.`,
  };
}

/** A wallet's payment is counted when it is signed, and not again when its call ends. */
const isCounted = ({ payment }: OpenCall): boolean => payment !== undefined;

/** Today's spending after a price is added. */
function addSpent(state: Pick<State, 'spent'>, price: bigint, at: Date): State['spent'] {
  const day = dayOf(at);
  return { day, amount: (spentOn(state, day) + price).toString() };
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const spentOn = ({ spent }: Pick<State, 'spent'>, day: string): bigint =>
  spent?.day === day ? BigInt(spent.amount) : 0n;

/** The service keeps responses for at least 30 days. After that, a key is useless. */
const keptMs = 30 * 86_400_000;

/** A call whose key is on disk. */
export interface OpenedCall {
  readonly digest: string;
  readonly idempotencyKey: string;
  /** When the previous attempt was made, if its response never reached the assistant; undefined for a new call. */
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
    const at = adapter.now();
    const price = priceOf(call);
    const open = state.openCalls[digest];
    if (open) {
      const { idempotencyKey, sentAt: resumedFrom } = open;
      const result = { digest, idempotencyKey, resumedFrom };
      // The call already counts for this day, or its payment was counted when it was signed.
      if (isCounted(open) || resumedFrom.startsWith(dayOf(at))) return { state, result };
      const others = { ...state, openCalls: without(state.openCalls, digest) };
      const above = findAboveCap(adapter, others, price, 'It was not sent again.');
      if (above) throw new ToolError({ ...above, payment: 'unknown', retry: 'later' });
      const openCalls = { ...state.openCalls, [digest]: { ...open, sentAt: at.toISOString() } };
      return { state: { ...state, openCalls }, result };
    }
    const above = findAboveCap(adapter, state, price, 'It was not sent, and nothing was charged.');
    if (above) throw new ToolError({ ...above, payment: 'none', retry: 'later' });
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
 * Saves a payment for an open call before it is sent, in place of `earlier`, and counts it toward the day's cap: from then on
 * it can be charged, whatever the service says. If another process has saved a payment in the meantime, that one is returned
 * and must be sent, so that a call never has two payments at the same time.
 */
export function savePayment(
  adapter: Pick<Adapter, 'settings' | 'stateFile' | 'now'>,
  call: Call,
  { digest, idempotencyKey }: OpenedCall,
  payment: SignedPayment,
  earlier: SignedPayment | undefined,
): Promise<SignedPayment | AboveCap> {
  return adapter.stateFile.update(async (state): Promise<Change<SignedPayment | AboveCap>> => {
    const entry = state.openCalls[digest];
    // If not, another process has ended the call, and this payment is a retry under the same key.
    const isOpen = entry?.idempotencyKey === idempotencyKey;
    if (isOpen && entry.payment && entry.payment.header !== earlier?.header)
      return { state, result: entry.payment };
    const price = priceOf(call);
    const others = isOpen ? { ...state, openCalls: without(state.openCalls, digest) } : state;
    const above = findAboveCap(adapter, others, price, 'No payment was sent for it.');
    if (above) return { state, result: above };
    const openCalls = isOpen ? { ...state.openCalls, [digest]: { ...entry, payment } } : state.openCalls;
    const spent = addSpent(state, price, adapter.now());
    return { state: { ...state, openCalls, spent }, result: payment };
  });
}

/** Deletes a key, because its response has arrived or the call was certainly not charged. */
export async function endCall(
  adapter: Adapter,
  { digest, idempotencyKey }: OpenedCall,
  outcome: 'charged' | 'not_charged',
): Promise<void> {
  await adapter.stateFile.update(async (state) => {
    const entry = state.openCalls[digest];
    // Another adapter was faster and may have already started the next call.
    if (entry?.idempotencyKey !== idempotencyKey) return { state, result: undefined };
    const openCalls = without(state.openCalls, digest);
    const at = adapter.now();
    // A call from yesterday counted toward yesterday, and also counts toward today if it was sent again.
    const isAdded = outcome === 'charged' && !isCounted(entry) && entry.sentAt.startsWith(dayOf(at));
    const spent = isAdded ? addSpent(state, BigInt(entry.price), at) : state.spent;
    return { state: { ...state, openCalls, spent }, result: undefined };
  });
}

const priceOf = ({ price }: Call): bigint => atomicOf(price) ?? 0n;

function without(openCalls: State['openCalls'], digest: string): State['openCalls'] {
  const { [digest]: _, ...others } = openCalls;
  return others;
}

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
