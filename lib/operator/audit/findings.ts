import { billing } from '@/lib/catalog';
import { db } from '@/lib/db/client';
import { accountOf } from '@/lib/ledger/account-book';
import { legalMoves, type PaidCallState } from '@/lib/ledger/states';
import type { Offer } from '@/lib/payments/networks';
import { inOurBooks } from '@/lib/payments/payment';
import { accountFindings } from './accounts';
import { type ChainTransfer, chainTransfers } from './chain-transfers';

/** Something that must never be: which promise is broken, and about what. */
export interface Finding {
  readonly promise: string;
  readonly about: string;
}

export interface AuditedCall {
  readonly id: string;
  readonly state: PaidCallState;
  readonly network: string;
  readonly payer: string;
  readonly authorization: string;
  readonly operation: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string | null;
  readonly answer: Uint8Array | null;
  /** When it came to its present state. */
  readonly movedAt: Date;
  readonly moves: readonly { fromState: PaidCallState | null; toState: PaidCallState }[];
  readonly postings: readonly {
    kind: string;
    debitAccount: string;
    creditAccount: string;
    amountAtomic: { toFixed(): string };
  }[];
}

/** The states whose money is ours: a transfer on chain must stand behind each. */
const paidStates = new Set<PaidCallState>([
  'settled',
  'delivering',
  'delivered',
  'kept',
  'needs_attention',
  'refunded',
]);

/** The states from which the program goes on by itself. */
const openStates = new Set<PaidCallState>([
  'claimed',
  'prepared',
  'settling',
  'unknown',
  'settled',
  'delivering',
]);
/** A client has a day to come back for what only its repetition may finish. */
const openHoursMax = 25;

/**
 * Holds the ledger against the chains and against itself (invariants of DESIGN 8). Meant for a quiet moment: a call that
 * is under way may be seen between two of its steps.
 * @returns what is wrong; empty when nothing is
 */
export async function auditLedger(offers: readonly Offer[], fromBlock = 0n): Promise<Finding[]> {
  const calls = await db().paidCall.findMany({
    include: { moves: { orderBy: { id: 'asc' } }, postings: { orderBy: { id: 'asc' } } },
  });
  const transfers = (await Promise.all(offers.map((offer) => chainTransfers(offer, fromBlock)))).flat();
  const effects = await effectFindings();
  const gas = await gasFindings();
  return [
    ...againstChain(calls, transfers, new Set(offers.map(({ network }) => network.name))),
    ...calls.flatMap(againstMoves),
    ...calls.flatMap(againstTime),
    ...calls.flatMap(againstPostings),
    ...(await prepaidFindings(calls)),
    ...(await accountFindings(calls)),
    ...effects,
    ...gas,
  ];
}

function identity(network: string, authorization: string): string {
  return `${network} ${authorization}`;
}

function againstChain(
  calls: readonly AuditedCall[],
  transfers: readonly ChainTransfer[],
  networks: ReadonlySet<string>,
): Finding[] {
  const byIdentity = new Map<string, ChainTransfer[]>();
  for (const transfer of transfers) {
    const key = identity(transfer.network, transfer.authorization);
    byIdentity.set(key, [...(byIdentity.get(key) ?? []), transfer]);
  }
  const findings: Finding[] = [];
  for (const call of calls.filter(({ network }) => networks.has(network))) {
    const key = identity(call.network, call.authorization);
    const mine = (byIdentity.get(key) ?? []).filter(({ payer }) => payer === null || payer === call.payer);
    byIdentity.delete(key);
    const isPaid = paidStates.has(call.state);
    if (isPaid && mine.length !== 1) {
      findings.push({
        promise: 'a settled call has exactly one transfer',
        about: `${call.id}: ${mine.length}`,
      });
    }
    if (call.state === 'refused' && mine.length > 0) {
      findings.push({ promise: 'a refused call was not charged', about: call.id });
    }
    const [transfer] = mine;
    if (isPaid && transfer && transfer.transactionHash !== call.transactionHash) {
      findings.push({ promise: 'a settled call names its transaction', about: call.id });
    }
    if (transfer?.amountAtomic != null && transfer.amountAtomic !== call.amountAtomic) {
      findings.push({ promise: 'a transfer moves exactly the price', about: call.id });
    }
  }
  for (const [key, left] of byIdentity) {
    findings.push({
      promise: 'a used authorization has a paid call',
      about: `${key} in ${left[0]?.transactionHash}`,
    });
  }
  return findings;
}

/** The recorded moves lead, each of them legal, from nothing to the state of the call. */
function againstMoves(call: AuditedCall): Finding[] {
  let at: PaidCallState | null = null;
  for (const move of call.moves) {
    const isLegal = at === null ? move.toState === 'claimed' : legalMoves[at].includes(move.toState);
    if (move.fromState !== at || !isLegal) {
      return [{ promise: 'every move is legal', about: `${call.id}: ${move.fromState} to ${move.toState}` }];
    }
    at = move.toState;
  }
  return at === call.state
    ? []
    : [{ promise: 'the moves lead to the state', about: `${call.id}: ${call.state}` }];
}

/** What fails again and again is tried again and again; after a day a person has to know of it. */
function againstTime({ id, state, movedAt }: AuditedCall): Finding[] {
  const openHours = Math.floor((Date.now() - movedAt.getTime()) / 3_600_000);
  return openStates.has(state) && openHours > openHoursMax
    ? [{ promise: 'a call comes to an end within a day', about: `${id}: ${state} for ${openHours} hours` }]
    : [];
}

/** Each call's postings are exactly those that its state demands. */
function againstPostings(call: AuditedCall): Finding[] {
  const findings: Finding[] = [];
  const count = (kind: string) => call.postings.filter((posting) => posting.kind === kind).length;
  // What a re-organization took away was reversed, and may have been posted once more.
  const has = (kind: string) => count(kind) - count(`${kind}_reversed`) === 1;
  const expect = (kind: string, isExpected: boolean) => {
    if (has(kind) !== isExpected) {
      findings.push({
        promise: `a ${call.state} call has ${isExpected ? 'a' : 'no'} ${kind} posting`,
        about: call.id,
      });
    }
  };
  expect('settled', paidStates.has(call.state));
  if (call.state !== 'refunded') {
    expect('delivered', call.state === 'delivered');
    expect('kept', call.state === 'kept');
  }
  if ((call.state === 'delivered' || call.state === 'kept') && call.answer === null) {
    findings.push({ promise: `a ${call.state} call keeps its answer`, about: call.id });
  }
  for (const posting of call.postings) {
    if (posting.amountAtomic.toFixed() !== call.amountAtomic.toString()) {
      findings.push({ promise: 'a posting is of the price', about: call.id });
    }
    const [debit, credit] = accountsOf(call, posting.kind) ?? [posting.debitAccount, posting.creditAccount];
    if (posting.debitAccount !== debit || posting.creditAccount !== credit) {
      findings.push({
        promise: 'a posting names the accounts of its call',
        about: `${call.id}: ${posting.kind}`,
      });
    }
  }
  return findings;
}

/** Between which accounts a posting of a kind moves money; null for kinds that an operator posts by hand. */
function accountsOf(call: AuditedCall, kind: string): readonly [debit: string, credit: string] | null {
  const prepaid = `prepaid:${call.payer}`;
  if (kind === 'settled')
    return [call.network === inOurBooks ? accountOf(call.payer) : `chain:${call.network}:treasury`, prepaid];
  if (kind === 'kept') return [prepaid, `revenue:${call.operation}`];
  // Which account a deposit enters, accountFindings knows.
  if (kind === 'delivered' && call.operation !== billing.deposit.id)
    return [prepaid, `revenue:${call.operation}`];
  return null;
}

/** What is prepaid is what was paid and not yet delivered, kept or refunded: no more, no less, for every payer. */
async function prepaidFindings(calls: readonly AuditedCall[]): Promise<Finding[]> {
  const open = new Map<string, bigint>();
  for (const call of calls) {
    if (!['settled', 'delivering', 'needs_attention'].includes(call.state)) continue;
    open.set(call.payer, (open.get(call.payer) ?? 0n) + call.amountAtomic);
  }
  const balances = await db().$queryRaw<{ account: string; balance: string }[]>`
    SELECT account, sum(amount)::text AS balance FROM (
      SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
      UNION ALL SELECT debit_account, -amount_atomic FROM posting WHERE unit = 'usdc'
    ) entries WHERE account LIKE 'prepaid:%' GROUP BY account`;
  const booked = new Map(
    balances.map(({ account, balance }) => [account.slice('prepaid:'.length), BigInt(balance)]),
  );
  return [...new Set([...open.keys(), ...booked.keys()])].flatMap((payer) =>
    (open.get(payer) ?? 0n) === (booked.get(payer) ?? 0n)
      ? []
      : [{ promise: 'prepaid equals what is paid and open', about: payer }],
  );
}

/** Nothing was handed out that was not paid for, and nothing paid for was left out. */
async function effectFindings(): Promise<Finding[]> {
  const unpaid = await db().$queryRaw<{ id: string }[]>`
    SELECT upload.id FROM upload LEFT JOIN paid_call ON paid_call.id = upload.paid_call_id
    WHERE paid_call.id IS NULL
      OR (paid_call.state NOT IN ('settled', 'delivering', 'delivered', 'needs_attention', 'refunded')
        AND paid_call.reorganizations = 0)
      OR paid_call.operation NOT IN ('uploads.create', 'render.pdf')`;
  // A second deletion of one upload is told of the first and leaves no trace of its own: the owner's deletions answer.
  const missing = await db().$queryRaw<{ id: string }[]>`
    SELECT paid_call.id FROM paid_call
    LEFT JOIN upload created ON created.paid_call_id = paid_call.id
    LEFT JOIN upload_renewal renewed ON renewed.paid_call_id = paid_call.id
    WHERE paid_call.state = 'delivered'
      AND ((paid_call.operation IN ('uploads.create', 'render.pdf') AND created.id IS NULL)
        OR (paid_call.operation = 'uploads.renew' AND renewed.paid_call_id IS NULL)
        OR (paid_call.operation = 'uploads.delete'
          AND NOT EXISTS (SELECT FROM upload removed WHERE removed.owner = paid_call.payer AND removed.deleted_at IS NOT NULL)))`;
  return [
    ...unpaid.map(({ id }) => ({ promise: 'an upload was paid for', about: id })),
    ...missing.map(({ id }) => ({ promise: 'a delivered call had its effect', about: id })),
  ];
}

/** What a settlement cost is in the books. */
async function gasFindings(): Promise<Finding[]> {
  const unposted = await db().$queryRaw<{ hash: string }[]>`
    SELECT hash FROM settlement_transaction settlement
    WHERE state = 'confirmed' AND gas_used > 0 AND signer IS NOT NULL
      AND NOT EXISTS (SELECT FROM posting WHERE posting.settlement_id = settlement.id AND posting.kind = 'gas'
        AND round = settlement.reorganizations)`;
  const open = await db().$queryRaw<{ hash: string }[]>`
    SELECT hash FROM settlement_transaction WHERE state = 'prepared' AND created_at < now() - interval '10 minutes'`;
  return [
    ...unposted.map(({ hash }) => ({ promise: 'a confirmed settlement has a gas posting', about: hash })),
    ...open.map(({ hash }) => ({ promise: 'a settlement is followed to its end', about: hash })),
  ];
}
