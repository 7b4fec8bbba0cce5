import type { Answer, SignedRequest } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { readChains, type Transfer } from './chain';
import type { Attempt, History, Purchase } from './history';
import { type Fixed, type LedgerCall, readFixed, readLedger, readRemoved } from './ledger';

/** One purchase, with its payment on the chain and in the ledger. */
interface Case extends Purchase {
  readonly transfers: readonly Transfer[];
  readonly calls: readonly LedgerCall[];
  /** The IDs of all paid calls. */
  readonly ids: ReadonlySet<string>;
  /** Refused calls from accounts and channels. Their keys and vouchers may pay for other calls since. */
  readonly released: ReadonlySet<string>;
  /** Transactions that a reorganization removed at least once. The payment may be in another one since. */
  readonly removed: ReadonlySet<string>;
}

const paid = ['settled', 'delivered', 'kept', 'needs_attention', 'refunded'];

/**
 * Compares what clients were told with the chains and the ledger, and these with each other. Reads chains and rows in its own
 * way, independently of the audit.
 * @param before rows that must still be there, unchanged
 * @param isReorganized whether a chain removed blocks, and payments with them
 * @returns the contradictions, one line each; to be called when nothing is in progress
 */
export async function contradictions(
  rig: Rig,
  { purchases }: Pick<History, 'purchases'>,
  before?: Fixed,
  isReorganized = false,
): Promise<string[]> {
  const solanaPayers = purchases
    .map(({ request }) => request)
    .filter(({ network }) => network === 'solana-mainnet')
    .map(({ payer }) => payer);
  const [transfers, calls, fixed, removed] = await Promise.all([
    readChains(rig, [...new Set(solanaPayers)]),
    readLedger(rig, isReorganized ? ['reorganized'] : []),
    readFixed(rig),
    isReorganized ? readRemoved(rig) : new Set<string>(),
  ]);
  const ids = new Set(calls.map(({ id }) => id));
  const refused = calls.filter(
    ({ network, state }) => ['account', 'channel'].includes(network) && state === 'refused',
  );
  const released = new Set(refused.map(({ id }) => id));
  const cases = purchases.map((purchase): Case => {
    const isOfIt = (one: { network: string; authorization: string }) => isSame(one, purchase.request);
    const own = { transfers: transfers.filter(isOfIt), calls: calls.filter(isOfIt) };
    return { ...purchase, ...own, ids, released, removed };
  });
  return [
    ...cases.flatMap(againstChain),
    ...cases.flatMap(againstLedger),
    ...cases.flatMap(answersAgainstEachOther),
    ...calls.flatMap((call) => againstTransfers(call, transfers)),
    ...sums(calls, transfers),
    ...[...(before ?? [])]
      .filter(([key, digest]) => fixed.get(key) !== digest)
      .map(([key]) => `changed: ${key}`),
  ];
}

function isSame(
  one: { network: string; authorization: string },
  other: { network: string; authorization: string },
): boolean {
  return one.network === other.network && one.authorization === other.authorization;
}

function nameOf({ rail, network, authorization, init, url }: SignedRequest): string {
  return `${init.method} ${new URL(url).pathname} (${rail} on ${network}, ${authorization})`;
}

function answersOf({ attempts }: Purchase): Answer[] {
  return attempts.flatMap(({ answer }) => (answer ? [answer] : []));
}

/** The payment outcome that a response states: in our error body, an MPP problem or an x402 challenge. */
function paymentIn({ status, body }: Answer): string | undefined {
  if (status === 402) return 'none';
  return body?.error?.payment ?? body?.payment;
}

/** I7, I8: nobody pays twice, what was delivered was paid, and what was reported as unpaid is unpaid. */
function againstChain(one: Case): string[] {
  const found: string[] = [];
  const say = (words: string) => found.push(`${nameOf(one.request)}: ${words}`);
  if (one.transfers.length > 1) say(`paid ${one.transfers.length} times`);
  const [transfer] = one.transfers;
  if (transfer?.amountAtomic != null && transfer.amountAtomic !== one.request.priceAtomic) {
    say(`paid ${transfer.amountAtomic} for ${one.request.priceAtomic}`);
  }
  for (const answer of answersOf(one)) {
    const { status } = answer;
    if (status === 200 && !transfer) say('delivered and never paid');
    if (status === 402 && transfer) say('called unpaid by a 402, and paid');
    if (paymentIn(answer) === 'kept' && !transfer) say('told that its payment is kept, and never paid');
    const told = transactionOf(answer);
    // A channel deposit is reported with the call that it came with, but does not pay for that call.
    if (told && one.request.network !== 'channel' && told !== transfer?.transaction && !isRemoved(told, one))
      say(`told of transaction ${told}, paid in ${transfer?.transaction}`);
  }
  return found;
}

/** Whether a transaction that a client was told about has since lost its block, and the ledger has recorded the lost payment. */
function isRemoved(transaction: string, { removed, calls }: Case): boolean {
  return removed.has(transaction) && calls.some(({ moves }) => moves.includes('lost'));
}

/** I2, I3, I5, I7: the ledger has the call once, with what was delivered, and none where "nothing was charged" was the answer. */
function againstLedger(one: Case): string[] {
  const found: string[] = [];
  const say = (words: string) => found.push(`${nameOf(one.request)}: ${words}`);
  const [call, ...more] = one.calls;
  if (more.length > 0) say(`${one.calls.length} paid calls for one payment`);
  for (const attempt of one.attempts) {
    const { answer } = attempt;
    if (!answer) continue;
    const { status, headers, body } = answer;
    const toldId = headers.get('paid-call-id') ?? body?.error?.paidCallId ?? null;
    // It can be unknown even whether the claim was written. Then no call may have the id that the client was told.
    const isOpen = paymentIn(answer) === 'unknown' && !one.ids.has(toldId ?? '');
    const isReleased = status !== 200 && one.released.has(toldId ?? '');
    if (toldId && toldId !== call?.id && !isOpen && !isReleased) say(`told of ${toldId}, not ${call?.id}`);
    if (status === 200 && call?.state !== 'delivered') say(`delivered, and its call is ${call?.state}`);
    if (status === 200 && (call?.effects.length !== 1 || call.effects[0] !== body.id)) {
      // A second deletion of an upload returns the first one. A search or a deposit leaves nothing behind that has an id.
      if (
        !/^(uploads\.delete|neural\.|crawl\.|serp\.|flights\.|airports\.|billing\.)/.test(
          call?.operation ?? '',
        )
      )
        say(`got ${body.id}, the ledger has ${call?.effects.join()}`);
    }
    if ([400, 403, 404, 413].includes(status) && call) say(`answered ${status}, and there is a paid call`);
    const isCalledUncharged = paymentIn(answer) === 'none';
    if (isCalledUncharged && call && !wasUncharged(call, attempt, one.attempts)) {
      const code = body?.error?.code ?? body?.type ?? 'no code';
      const moves = call.moves.map((state, index) => `${state} ${call.moved_at[index]?.toISOString()}`);
      const [sent, ended] = [attempt.sentAt.toISOString(), attempt.endedAt.toISOString()];
      say(
        `told at ${status} "nothing was charged" (${code}, ${sent} to ${ended}) of ${call.id}: ${moves.join(', ')}`,
      );
    }
  }
  if (roundsOf(call?.moves ?? []).some(goesBackAfterSettled)) say(`went ${call?.moves.join(' > ')}`);
  return found;
}

/** The moves, split at each loss of a payment that was counted on, after which the payment is submitted again. */
function roundsOf(moves: readonly string[]): string[][] {
  const rounds: string[][] = [[]];
  for (const state of moves) {
    if (state === 'lost') rounds.push([]);
    else rounds.at(-1)?.push(state);
  }
  return rounds;
}

function goesBackAfterSettled(moves: readonly string[]): boolean {
  const settledAt = moves.indexOf('settled');
  const earlier = ['claimed', 'prepared', 'settling', 'unknown', 'refused'];
  return settledAt >= 0 && moves.slice(settledAt + 1).some((state) => earlier.includes(state));
}

/**
 * Whether "nothing was charged" was true of a call when the client was told, and stayed true until the client sent the
 * request again: at some moment between request and response the call did not exist or was refused, and anything that
 * began after that belongs to another attempt.
 */
function wasUncharged(call: LedgerCall, attempt: Attempt, attempts: readonly Attempt[]): boolean {
  const others = attempts.filter((other) => other !== attempt);
  const isAnothers = (at: Date) =>
    others.some(({ sentAt, endedAt, answer }) => sentAt <= at && (answer === null || at <= endedAt));
  const states = ['absent', ...call.moves].map((state, index) => ({
    state,
    from: call.moved_at[index - 1] ?? new Date(0),
    to: call.moved_at[index] ?? null,
  }));
  const rest = states.findLastIndex(
    ({ state, from, to }) =>
      ['absent', 'refused'].includes(state) &&
      from <= attempt.endedAt &&
      (to === null || attempt.sentAt <= to),
  );
  if (rest < 0) return false;
  const next = states[rest + 1];
  // A refused payment that somebody else submitted did not start with a retry by the client.
  return next === undefined || (next.state === 'claimed' && isAnothers(next.from));
}

/** I10: a retry gets the first response. */
function answersAgainstEachOther(one: Case): string[] {
  const delivered = answersOf(one).filter(({ status }) => status === 200);
  const found: string[] = [];
  if (new Set(delivered.map(({ body }) => JSON.stringify(body))).size > 1) {
    found.push(`${nameOf(one.request)}: different answers`);
  }
  const firstEnd = answersOf(one).findIndex(({ status }) => status === 200);
  const after = firstEnd < 0 ? [] : answersOf(one).slice(firstEnd);
  // The database or chain may be unavailable in between, but no answer may take back what was delivered.
  if (after.some(({ status }) => status < 500 && status !== 200 && status !== 409)) {
    found.push(`${nameOf(one.request)}: delivered, then refused`);
  }
  return found;
}

/** I1, I3: a paid call has one transfer and one final state; any other call has none. */
function againstTransfers(call: LedgerCall, transfers: readonly Transfer[]): string[] {
  const mine = transfers.filter((transfer) => isSame(transfer, call));
  // Solana's transfers are read for the payers of the history only.
  const isRead = call.network !== 'solana-mainnet' || mine.length > 0;
  const found: string[] = [];
  if (!isRead) return found;
  const wanted = paid.includes(call.state) ? 1 : 0;
  if (call.state !== 'unknown' && call.state !== 'settling' && mine.length !== wanted) {
    found.push(`${call.id} is ${call.state} with ${mine.length} transfers`);
  }
  if (wanted === 1 && call.network !== 'channel' && call.transaction_hash !== mine[0]?.transaction)
    found.push(`${call.id} names another transaction`);
  if (call.state === 'delivered' && call.postings.join() !== postingsOf(call).join()) {
    found.push(`${call.id} is delivered with postings ${call.postings.join()}`);
  }
  return found;
}

/** The postings of a delivered call: its sale once, and before that a sale and its reversal for each time its payment was lost. */
function postingsOf({ moves }: LedgerCall): string[] {
  const sale = ['settled', 'delivered'];
  const lost = roundsOf(moves).slice(0, -1);
  const undone = lost.map((round) => sale.filter((kind) => round.includes(kind)));
  return [...undone.flatMap((kinds) => [...kinds, ...kinds.map((kind) => `${kind}_reversed`)]), ...sale];
}

/** I4: the amounts posted as settled on a network equal the transfers on the chain. */
function sums(calls: readonly LedgerCall[], transfers: readonly Transfer[]): string[] {
  const evm = ['base', 'polygon', 'arbitrum'];
  return evm.flatMap((on) => {
    const booked = calls
      .filter(({ network, postings }) => network === on && postings.includes('settled'))
      .reduce((sum, { amount_atomic }) => sum + BigInt(amount_atomic), 0n);
    const moved = transfers
      .filter(({ network, isSweep }) => network === on && !isSweep)
      .reduce((sum, { amountAtomic }) => sum + (amountAtomic ?? 0n), 0n);
    return booked === moved ? [] : [`${on}: ${booked} booked, ${moved} moved`];
  });
}

/** The settlement transaction in a receipt; null if there is none. */
function transactionOf({ headers }: Answer): string | null {
  const x402 = headers.get('payment-response');
  if (x402) return JSON.parse(Buffer.from(x402, 'base64').toString()).transaction;
  const mpp = headers.get('payment-receipt');
  if (mpp) return JSON.parse(Buffer.from(mpp, 'base64url').toString()).reference;
  return null;
}
