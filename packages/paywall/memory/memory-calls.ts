import type { CallClaims, CallHolds, CallStore, Claim } from '@/lib/calls/call-store';
import { type PaidCall, sha256 } from '@/lib/calls/paid-call';
import { readKeptAnswer } from '@/lib/ledger/kept-answer';
import { openStates, underWayStates } from '@/lib/ledger/states';
import { isSolanaName } from '@/lib/payments/network-offers';
import { onAccount } from '@/lib/payments/payment';
import { isPublished } from './channel-memory';
import { memoryCallMoves } from './memory-call-moves';
import { chargeOf } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow } from './memory-rows';
import { moveOfCall } from './memory-transitions';

/** The twin of the ledger's store of paid calls in lib/ledger/call-store.ts. */
export function memoryCalls(process: MemoryProcess): CallStore {
  return { ...claims(process), ...holds(process), ...memoryCallMoves(process) };
}

function claims(process: MemoryProcess): CallClaims {
  return {
    newId: () => process.database.newId('pc'),
    claim: (entry, now) =>
      process.query(({ paidCall }) => {
        const row = newRow(entry, process.id, now);
        return paidCall.hasConflict(row) ? null : toPaidCall(paidCall.insert(row));
      }, entry.isFlushedLater),
    claimAgain: (entry, now) =>
      process.query(({ paidCall }) => {
        const row = paidCall.get(entry.id);
        const given = { at: now, moveNote: null, workedBy: process.id, ...storedOf(entry) };
        const changes = row && moveOfCall('restarted', row, given);
        return row && changes ? toPaidCall(paidCall.update(row, changes)) : null;
      }),
    find: (id) => process.query((tables) => found(tables.paidCall.get(id))),
    findEarlier: (payment, idempotencyKey) =>
      process.query(({ paidCall }) => {
        const { network, asset, payer, authorization } = payment;
        const keyHash = idempotencyKey === null ? null : sha256(idempotencyKey);
        const byPayer = paidCall.where((row) => row.payer === payer);
        const bought = byPayer.find(
          (row) => row.network === network && row.asset === asset && row.authorization === authorization,
        );
        const bound = byPayer.find((row) => keyHash && row.idempotencyKeyHash?.equals(keyHash));
        return { byAuthorization: found(bought), byKey: found(bound) };
      }),
    findBought: ({ payer, onlyOn, operation, requestHash, idempotencyKey }) =>
      process.query(({ paidCall }) => {
        const keyHash = idempotencyKey === null ? null : sha256(idempotencyKey);
        const bought = paidCall.where(
          (row) =>
            row.payer === payer &&
            row.network !== onAccount &&
            (onlyOn === null || row.network === onlyOn) &&
            row.operation === operation &&
            row.requestHash.equals(requestHash) &&
            (keyHash === null || row.idempotencyKeyHash?.equals(keyHash) === true) &&
            (underWayStates.includes(row.state) || (row.state === 'delivered' && row.answer !== null)),
        );
        return found(bought.toSorted(byCreation).at(-1));
      }),
    findCallOfPayment: ({ network, asset, authorization, payer }) =>
      process.query(({ paidCall }) => {
        const isIt = (row: PaidCallRow) =>
          row.network === network &&
          row.asset === asset &&
          row.authorization === authorization &&
          (isSolanaName(network) || row.payer === payer);
        return paidCall.first(isIt)?.id ?? null;
      }),
    isPrivate: ({ channelId, signed }) =>
      process.query(
        (tables) =>
          channelId !== undefined &&
          signed.family === 'channel' &&
          !isPublished(tables, channelId, BigInt(signed.maxClaimable)),
      ),
    recordTransferWithoutCall: (payment, transactionHash, operation, foundAt) =>
      process.query(({ transferWithoutCall }) => {
        const { network, asset, payer, authorization, amountAtomic, payTo } = payment;
        const terms = { network, asset, payer, authorization, amountAtomic, payTo };
        const row = { id: process.database.newId('tw'), ...terms, transactionHash, operation, foundAt };
        if (!transferWithoutCall.hasConflict(row)) transferWithoutCall.insert(row);
      }),
  };
}

function newRow(entry: Claim, workedBy: string, now: Date): PaidCallRow {
  const { network, asset, payer, authorization, amountAtomic, payTo, validBefore } = entry.payment;
  return {
    id: entry.id,
    operation: entry.operation,
    rail: entry.rail,
    network,
    asset,
    payer,
    authorization,
    amountAtomic,
    payTo,
    validBefore,
    requestHash: entry.requestHash,
    ...storedOf(entry),
    state: entry.isPrepared ? 'claimed' : 'settling',
    prepared: null,
    transactionHash: null,
    settlementId: null,
    refusalReason: null,
    answerStatus: null,
    answer: null,
    answerExpiresAt: null,
    workedBy,
    attemptAt: now,
    queuedForSignerAt: null,
    channelId: entry.payment.channelId ?? null,
    reorganizations: 0,
    creditedAccount: null,
    refusalFinalAt: null,
    attempts: 0,
    createdAt: now,
    movedAt: now,
    moveNote: null,
  };
}

/** What a claim stores of the request, which a second claim replaces. */
function storedOf(entry: Claim) {
  const hashed = (secret: string | null) => (secret === null ? null : sha256(secret));
  return {
    requestDigest: entry.requestDigest,
    idempotencyKeyHash: hashed(entry.idempotencyKey),
    claimTokenHash: hashed(entry.claimToken),
    input: JSON.stringify(entry.input),
    payment: { signed: entry.payment.signed, sinceHeight: entry.sinceHeight },
  };
}

function holds(process: MemoryProcess): CallHolds {
  const isFree = ({ instance }: Tables, { workedBy }: PaidCallRow) => {
    const holder = workedBy === null ? undefined : instance.get(workedBy);
    return !holder || !process.isAlive(holder);
  };
  const takeOver = (call: Pick<PaidCall, 'id' | 'state'>, attempts: number) =>
    process.query((tables) => {
      const row = tables.paidCall.get(call.id);
      if (!row || row.state !== call.state || !isFree(tables, row)) return null;
      const changes = { workedBy: process.id, attempts: row.attempts + attempts };
      return toPaidCall(tables.paidCall.update(row, changes));
    });
  const ownCall = ({ paidCall }: Tables, id: string) => {
    const row = paidCall.get(id);
    return row?.workedBy === process.id ? row : undefined;
  };
  return {
    takeOver: (call) => takeOver(call, 0),
    takeOverForRecovery: (call) => takeOver(call, 1),
    abandonedCalls: (now, limit) =>
      process.query((tables) =>
        byAttempt(tables.paidCall.where((row) => openStates.includes(row.state) && row.attemptAt <= now))
          .filter((row) => isFree(tables, row))
          .slice(0, limit)
          .map(({ id, operation, state, attempts }) => ({ id, operation, state, attempts })),
      ),
    refusalsToClose: (now, limit) =>
      process.query(({ paidCall }) => {
        const due = paidCall.where(
          (row) => row.state === 'refused' && row.refusalFinalAt === null && row.validBefore < now,
        );
        return byAttempt(due)
          .slice(0, limit)
          .map((row) => toPaidCall(paidCall.update(row, { attemptAt: now })));
      }),
    heldCalls: () =>
      process.query(({ paidCall }) =>
        paidCall
          .where((row) => openStates.includes(row.state) && row.workedBy === process.id)
          .map(({ id }) => id),
      ),
    release: (id, attemptAt) =>
      process.query((tables) => {
        const row = ownCall(tables, id);
        if (row) tables.paidCall.update(row, { workedBy: null, attemptAt });
      }),
    recordSending: (id) =>
      process.query((tables) => {
        const row = ownCall(tables, id);
        if (row?.state !== 'settled') return false;
        tables.paidCall.update(row, { moveNote: null });
        return true;
      }),
    postpone: (id, { attempts, attemptAt, isDelivery, note }) =>
      process.query((tables) => {
        const row = ownCall(tables, id);
        if (!row) return;
        const next = (row.state === 'settled') === isDelivery ? { attempts, attemptAt } : {};
        tables.paidCall.update(row, { workedBy: null, ...next, moveNote: note ?? row.moveNote });
      }),
  };
}

function byCreation(one: PaidCallRow, other: PaidCallRow): number {
  return one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1);
}

function byAttempt(rows: readonly PaidCallRow[]): PaidCallRow[] {
  return [...rows].sort((one, other) => one.attemptAt.getTime() - other.attemptAt.getTime());
}

const found = (row: PaidCallRow | undefined) => (row ? toPaidCall(row) : null);

/** The call in a row, as lib/ledger/paid-call.ts reads it. */
function toPaidCall(row: PaidCallRow): PaidCall {
  const { answer, answerStatus, input, prepared } = row;
  return {
    id: row.id,
    operation: row.operation,
    rail: row.rail,
    state: row.state,
    payment: chargeOf(row).payment,
    sinceHeight: row.payment?.sinceHeight ?? 0n,
    isReadable: true,
    requestHash: row.requestHash,
    requestDigest: row.requestDigest,
    idempotencyKeyHash: row.idempotencyKeyHash,
    claimTokenHash: row.claimTokenHash,
    input: input === null ? null : JSON.parse(input),
    prepared: prepared === null ? null : JSON.parse(prepared),
    transactionHash: row.transactionHash,
    refusalReason: row.refusalReason,
    isRefusalFinal: row.state === 'refused' && row.refusalFinalAt !== null,
    answer:
      answerStatus === null || answer === null ? null : { status: answerStatus, ...readKeptAnswer(answer) },
    workedBy: row.workedBy,
    movedAt: row.movedAt,
    moveNote: row.moveNote,
    attempts: row.attempts,
  };
}
