import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import {
  type ConfirmedSignatureInfo,
  type Connection,
  PublicKey,
  type VersionedTransactionResponse,
} from '@solana/web3.js';
import type { PaymentsReading } from '@/lib/payments/incoming-payment';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import {
  type AcceptedTransfer,
  type CandidateTransfer,
  isBeforePayment,
  type RefundReader,
  type RefundTransfer,
  type SignatureEnd,
  type SignatureProblem,
  type SignedTransfer,
  searchMax,
  type TransferMismatch,
  type TransferReading,
  type WalletTransfer,
} from '@/lib/payments/refund-transfer';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { Clock } from '@/lib/platform/clock';
import type { Platform } from '@/lib/platform/platform';
import { isRefund, refundTransaction, tokenProgramOf } from './refund-transaction';
import { connectToAny, connectToEach } from './solana-connections';
import { type BalanceChange, balanceChanges, incomingPayment } from './solana-incoming-payments';
import { type Head, headOf, isAbsentUntil, isBehind, SolanaStatuses } from './solana-statuses';
import {
  associatedTokenAccount,
  blockhashLifeMs,
  expiredAfterBlocks,
  hasSigned,
  parseTransaction,
} from './solana-transaction';

/** The most that nodes return at once. */
const pageSize = 1_000;

/** Far longer than nodes that share one address lag behind each other. */
const finalSlotKeptMs = 300_000;

/** How often nodes are asked for a slot that they have not reached, and the pause in between. They are a slot or two apart. */
const heightAttempts = 6;
const heightPauseMs = 500;

/** Reads refunds from Solana, where a transfer is recognized by the balances that it changed, those of both owners. */
export class SolanaRefundReader implements RefundReader {
  readonly #clock: Clock;
  readonly #offer: Offer<SolanaNetwork>;
  readonly #connections: readonly Connection[];
  /** For data that is the same at every node, or that is checked at every node afterwards. */
  readonly #any: Connection;
  readonly #statuses: SolanaStatuses;
  /**
   * The highest slot that a node has reported as final, and when, on the monotonic clock. Nodes that share one address may be
   * far apart, so a missing transaction proves nothing on a node that has not reached this slot.
   */
  #final = { slot: 0n, at: 0 };

  constructor(app: Pick<Platform, 'clock' | 'timings'>, offer: Offer<SolanaNetwork>, nodes: RpcNodes) {
    this.#clock = app.clock;
    this.#offer = offer;
    this.#connections = connectToEach(app, nodes);
    this.#any = connectToAny(app, nodes);
    this.#statuses = new SolanaStatuses(app, nodes);
  }

  parseHash(text: string): string | null {
    if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return null;
    return getBase58Encoder().encode(text).length === 64 ? text : null;
  }

  async height(): Promise<bigint> {
    const slots = await Promise.all(this.#connections.map((connection) => connection.getSlot('confirmed')));
    return BigInt(Math.min(...slots));
  }

  async read(signature: string, transfer: RefundTransfer): Promise<TransferReading> {
    const agreed = await this.#agreed(signature);
    if (agreed.kind !== 'found')
      return agreed.kind === 'absent' ? { kind: 'absent', isWaiting: false } : { kind: 'unclear' };
    const { found, isFinal } = agreed;
    if (found.meta?.err) return { kind: 'mismatch', reason: 'transaction_failed', isFinal };
    const block = { number: BigInt(found.slot), hash: null };
    const at = found.blockTime ? new Date(found.blockTime * 1_000) : null;
    if (isBeforePayment(transfer, { number: block.number, at })) {
      return { kind: 'mismatch', reason: 'before_payment', isFinal };
    }
    const matches = this.#matchesIn(balanceChanges(found, this.#offer.asset), transfer);
    if (typeof matches === 'string') return { kind: 'mismatch', reason: matches, isFinal };
    return { kind: 'found', transfers: matches, block, isFinal };
  }

  async readPayments(signature: string): Promise<PaymentsReading> {
    const agreed = await this.#agreed(signature);
    if (agreed.kind !== 'found') return agreed;
    const { found, isFinal } = agreed;
    const payment = found.meta?.err ? null : incomingPayment(found, this.#offer);
    const block = { number: BigInt(found.slot), hash: null };
    return { kind: 'found', payments: payment ? [payment] : [], block, isFinal };
  }

  /** The transaction, if all nodes agree on it. */
  async #agreed(
    signature: string,
  ): Promise<
    | { readonly kind: 'absent' | 'unclear' }
    | { readonly kind: 'found'; readonly found: VersionedTransactionResponse; readonly isFinal: boolean }
  > {
    const finalized = await this.#ask(signature, 'finalized');
    const isFinal = finalized.every((answer) => answer !== null);
    const [found = null, ...others] = isFinal ? finalized : await this.#ask(signature, 'confirmed');
    if (others.some((other) => summaryOf(other) !== summaryOf(found))) return { kind: 'unclear' };
    if (!found) return { kind: (await this.#isAbsent(signature)) ? 'absent' : 'unclear' };
    return found.meta ? { kind: 'found', found, isFinal } : { kind: 'unclear' };
  }

  async #isAbsent(signature: string): Promise<boolean> {
    await this.#finalHeads();
    return isAbsentUntil(this.#final, await this.#statuses.of(signature));
  }

  #ask(
    signature: string,
    commitment: 'confirmed' | 'finalized',
  ): Promise<(VersionedTransactionResponse | null)[]> {
    const config = { commitment, maxSupportedTransactionVersion: 0 } as const;
    return Promise.all(this.#connections.map((connection) => connection.getTransaction(signature, config)));
  }

  /** The recipient's accounts that received the amount, or why there are none. */
  #matchesIn(
    changes: readonly BalanceChange[],
    { recipient, amountAtomic }: RefundTransfer,
  ): CandidateTransfer[] | TransferMismatch {
    if (changes.length === 0) return 'wrong_token';
    const isOurs = ({ owner }: BalanceChange) => owner !== undefined && this.#offer.treasury.includes(owner);
    const paid = changes.filter(isOurs).reduce((sum, { atomic }) => sum - atomic, 0n);
    if (paid <= 0n) return 'wrong_sender';
    const received = changes.filter(({ owner, atomic }) => owner === recipient && atomic > 0n);
    if (received.length === 0) return 'wrong_recipient';
    const exact = received.filter(({ atomic }) => atomic === amountAtomic);
    if (exact.length === 0 || paid < amountAtomic) return 'wrong_amount';
    return exact.map(({ index }) => ({ index, signedFor: 'unknown' }));
  }

  /** Searches the recipient's account, which has fewer transactions than ours, for the refund's memo. */
  async search({ recipient }: RefundTransfer, refundId: string, sinceHeight: bigint): Promise<string[]> {
    const mint = new PublicKey(this.#offer.asset);
    const program = await tokenProgramOf(this.#any, mint);
    const account = associatedTokenAccount(new PublicKey(recipient), mint, program);
    const records = await Promise.all(
      this.#connections.map((connection) => recordsSince(connection, account, sinceHeight, this.#final.slot)),
    );
    const named = records.flat().filter(({ err, memo }) => err === null && memo?.includes(refundId));
    // The oldest first: once the transfer is there, anyone can send the recipient any number of transactions with its memo.
    const byAge = named.toSorted((one, other) => one.slot - other.slot);
    return [...new Set(byAge.map(({ signature }) => signature))].slice(0, searchMax);
  }

  /**
   * A blockhash lives for a number of blocks, however long those take. The end is counted from each node's newest block, not
   * from what one node says about a blockhash, because a wallet may use another one from a node that is ahead of ours.
   */
  signedUntilHeight(): Promise<bigint> {
    return this.#endAt(0);
  }

  /** @param slot a slot at which a node knew the blockhash. Every node must reach it within seconds */
  async #endAt(slot: number): Promise<bigint> {
    const config = { commitment: 'confirmed', minContextSlot: slot } as const;
    for (let attempts = 1; ; attempts += 1) {
      try {
        const heights = this.#connections.map((connection) => connection.getBlockHeight(config));
        return BigInt(Math.max(...(await Promise.all(heights)))) + expiredAfterBlocks;
      } catch (error) {
        if (!isBehind(error) || attempts === heightAttempts) throw error;
        await this.#clock.sleep(heightPauseMs);
      }
    }
  }

  async isPast({ untilHeight }: SignatureEnd): Promise<boolean> {
    if (untilHeight === null) return true;
    return (await this.#finalHeads()).every(({ height }) => height > untilHeight);
  }

  async #finalHeads(): Promise<readonly Head[]> {
    const heads = await Promise.all(this.#connections.map((connection) => headOf(connection, 'finalized')));
    const at = this.#clock.monotonic();
    // A slot that no node has reached for so long never existed, or nobody has asked in the meantime.
    if (at - this.#final.at > finalSlotKeptMs) this.#final = { slot: 0n, at };
    for (const { slot } of heads) if (slot > this.#final.slot) this.#final = { slot, at };
    return heads;
  }

  /**
   * Nodes do not report transactions that they have not executed yet, but no transaction outlives its blockhash. For refunds
   * from before heights were recorded, the clock decides.
   */
  async mayBePending(since: Date, end: SignatureEnd): Promise<boolean> {
    if (end.untilHeight === null) return this.#clock.now() - since.getTime() < blockhashLifeMs;
    return !(await this.isPast(end));
  }

  /** Always false: the payer signed the payment itself, so it is a key and not a program's address. */
  async hasCode(): Promise<boolean> {
    return false;
  }

  /** Only once the blockhash of the transaction that was sent has expired. */
  async canSignAgain(sentAt: Date, end: SignatureEnd): Promise<boolean> {
    return !(await this.mayBePending(sentAt, end));
  }

  async walletTransfer(transfer: RefundTransfer, refundId: string): Promise<WalletTransfer> {
    const transaction = await refundTransaction(this.#any, this.#offer, transfer, refundId);
    return { family: 'solana', from: this.#offer.payTo, transaction };
  }

  async acceptSigned(
    transfer: RefundTransfer,
    refundId: string,
    signed: SignedTransfer,
  ): Promise<AcceptedTransfer | SignatureProblem> {
    const transaction = signed.family === 'solana' ? parseTransaction(signed.transaction) : null;
    if (!transaction) return 'wallet_changed_transfer';
    const program = await tokenProgramOf(this.#any, new PublicKey(this.#offer.asset));
    if (!isRefund(transaction, this.#offer, transfer, refundId, program)) return 'wallet_changed_transfer';
    const treasury = new PublicKey(this.#offer.payTo);
    if (!hasSigned(transaction, transaction.message.serialize(), treasury)) return 'not_signed_by_treasury';
    const { context, value } = await this.#any.simulateTransaction(transaction, { sigVerify: true });
    if (value.err) return 'would_fail';
    const [signature] = transaction.signatures;
    if (!signature) return 'not_signed_by_treasury';
    return {
      family: 'solana',
      transactionHash: getBase58Decoder().decode(signature),
      untilHeight: await this.#endAt(context.slot),
      send: async () => {
        const bytes = transaction.serialize();
        await Promise.any(this.#connections.map((connection) => connection.sendRawTransaction(bytes)));
      },
    };
  }
}

/**
 * The transactions of an account since a slot, page by page, newest first. Nodes choose the length of their pages.
 * @param minContextSlot the slot that the node must have reached
 * @throws when it has not, or returns the same transactions again and again
 */
async function recordsSince(
  connection: Connection,
  account: PublicKey,
  sinceSlot: bigint,
  minContextSlot: bigint,
): Promise<ConfirmedSignatureInfo[]> {
  const found = new Map<string, ConfirmedSignatureInfo>();
  for (let before: string | undefined; ; ) {
    const options = { limit: pageSize, before, minContextSlot: Number(minContextSlot) };
    const page = await connection.getSignaturesForAddress(account, options, 'confirmed');
    const oldest = page.at(-1);
    if (oldest && page.every(({ signature }) => found.has(signature)))
      throw new Error('the node tells the same transactions again and again');
    for (const record of page) found.set(record.signature, record);
    if (!oldest || BigInt(oldest.slot) < sinceSlot)
      return [...found.values()].filter(({ slot }) => BigInt(slot) >= sinceSlot);
    before = oldest.signature;
  }
}

/** What all nodes have to agree on. */
function summaryOf(found: VersionedTransactionResponse | null): string {
  if (!found) return 'none';
  const { slot, meta, transaction } = found;
  const balances = [meta?.preTokenBalances, meta?.postTokenBalances].map((list) =>
    list?.map(({ accountIndex, mint, owner, uiTokenAmount }) => [
      accountIndex,
      mint,
      owner,
      uiTokenAmount.amount,
    ]),
  );
  const message = Buffer.from(transaction.message.serialize()).toString('base64');
  return JSON.stringify([slot, meta?.err, balances, message]);
}
