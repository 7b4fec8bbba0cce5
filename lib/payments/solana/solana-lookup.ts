import { createHash } from 'node:crypto';
import { type Connection, PublicKey } from '@solana/web3.js';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type {
  FinalityStatus,
  Outcome,
  SettledTransaction,
  Trace,
  Verification,
} from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { Charging, NetworkProblem, NetworkReading, OwnBalances } from '@/lib/payments/settlers';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { Expiry } from './blockhash-expiry';
import { solanaBalances, solanaUsdcOf } from './solana-balances';
import { checkCluster, payeeProblems } from './solana-chain';
import { connectToAny, connectToEach } from './solana-connections';
import {
  givenOf,
  headOf,
  heightAt,
  type Included,
  isBehind,
  isIncluded,
  outcomeIn,
  SolanaStatuses,
} from './solana-statuses';
import {
  blockhashLifeMs,
  expiredAfterBlocks,
  parseTransaction,
  simulationFailed,
} from './solana-transaction';

const lookUps = (app: ChainPlatform) => app.problems.get('look-ups on Solana');

/**
 * How many signatures a page has, and how many pages of the payer's history are read before it is too long to prove
 * anything.
 */
const history = { pageSize: 100, pagesMax: 10 } as const;
/** Block times are estimates, and a payment may have been submitted before it was sent to us. */
const historySlackMs = 10 * 60_000;

/** The result of looking for a payment in one transaction, or in the payer's history. */
type Finding =
  | { readonly kind: 'landed'; readonly signature: string; readonly status: Included }
  /** The payment is not there. */
  | { readonly kind: 'absent' }
  /** The nodes did not respond, disagree, or the history is too long: the payment may be there. */
  | { readonly kind: 'unclear' };

/**
 * The slot that a search has to reach to prove an absence, or null if the node is behind, and whether the payment can no
 * longer land in a later one.
 */
interface End {
  readonly slot: bigint | null;
  readonly isDead: boolean;
}

const noEnd: End = { slot: null, isDead: false };

/**
 * Finds out the outcome of a Solana payment that a remote server co-signs, so that its signature is not known in advance:
 * looks for its message among the payer's transactions.
 */
export class SolanaLookup implements NetworkReading, Pick<Charging, 'verify' | 'resolveOutcome'> {
  readonly #app: ChainPlatform;
  readonly #offer: Offer<SolanaNetwork>;
  readonly #connection: Connection;
  /** One node may not have the history of another, such as after it was newly set up. */
  readonly #witnesses: readonly Connection[];
  readonly #statuses: SolanaStatuses;
  readonly #expiry: Expiry;

  constructor(app: ChainPlatform, offer: Offer<SolanaNetwork>, nodes: RpcNodes) {
    this.#app = app;
    this.#offer = offer;
    this.#connection = connectToAny(app, nodes);
    this.#witnesses = connectToEach(app, nodes);
    this.#statuses = new SolanaStatuses(app, nodes);
    this.#expiry = new Expiry(this.#connection);
  }

  /**
   * Whether a payment's blockhash is valid, and the head on a node that says so. A node that is behind does not have the block of
   * the blockhash, so its height would make the payment look older than it is.
   */
  async verify(payment: Payment): Promise<Verification> {
    const { signed } = payment;
    const transaction = signed.family === 'solana' ? parseTransaction(signed.transaction) : null;
    // A remote server may not look at what the wallet's program does.
    if (!isPayerProven(payment))
      return { ok: false, reason: 'invalid_exact_svm_smart_wallet_program_not_allowed', height: 0n };
    if (!transaction) return { ok: false, reason: 'invalid_exact_svm_payload_transaction', height: 0n };
    const { recentBlockhash } = transaction.message;
    const [head, { context, value }] = await Promise.all([
      headOf(this.#connection, 'confirmed'),
      this.#connection.isBlockhashValid(recentBlockhash, { commitment: 'processed' }),
    ]);
    const height = heightAt(BigInt(context.slot), head);
    return value ? { ok: true, height } : { ok: false, reason: simulationFailed, height };
  }

  check(): Promise<readonly NetworkProblem[]> {
    return checkCluster(this.#connection, this.#statuses, this.#offer);
  }

  commonProblems(): Promise<readonly NetworkProblem[]> {
    return payeeProblems(this.#connection, this.#offer);
  }

  balances(): Promise<OwnBalances> {
    return solanaBalances(this.#connection, this.#offer, null);
  }

  usdcOf(owner: string): Promise<bigint> {
    return solanaUsdcOf(this.#connection, this.#offer, owner);
  }

  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    return this.#statuses.checkFinality(transactions);
  }

  async resolveOutcome(payment: Payment, { sinceHeight, transactionHash }: Trace): Promise<Outcome> {
    try {
      const reported =
        transactionHash === null
          ? null
          : await this.#read(this.#connection, transactionHash, payment).catch(() => null);
      // The slot that a search has to reach is read first, so that a transaction that lands in between is still found.
      const isReported = reported?.kind === 'landed';
      const end = isReported ? noEnd : await this.#endOf(payment, sinceHeight);
      const finding = isReported ? reported : await this.#find(payment, end.slot);
      lookUps(this.#app).end({});
      if (finding.kind === 'landed') return outcomeIn(finding.signature, finding.status);
      if (finding.kind === 'absent' && end.isDead)
        return { kind: 'refused', reason: 'transaction_expired_unused' };
      if (finding.kind === 'absent') return { kind: 'unknown', transactionHash, isUnused: true };
    } catch (error) {
      lookUps(this.#app).report(
        'warn',
        { error: describeError(error) },
        'Solana payments cannot be looked up',
      );
    }
    return { kind: 'unknown', transactionHash };
  }

  async #endOf({ signed, authorization }: Payment, sinceHeight: bigint): Promise<End> {
    const head = await this.#statuses.finalizedHead();
    const transaction = signed.family === 'solana' ? parseTransaction(signed.transaction) : null;
    if (!transaction || head.height <= sinceHeight + expiredAfterBlocks)
      return { slot: head.slot, isDead: false };
    try {
      const slot = await this.#expiry.slotOf(authorization, transaction, head);
      return { slot: slot ?? head.slot, isDead: slot !== null };
    } catch (error) {
      if (isBehind(error)) return noEnd;
      throw error;
    }
  }

  /**
   * Searches the payer's transactions, as each node that responds lists them. The payment is absent only if none of them has it.
   * @param untilSlot the slot that a node listing the transactions must have reached; null when it is known not to have
   * reached it
   */
  async #find(payment: Payment, untilSlot: bigint | null): Promise<Finding> {
    const searches = this.#witnesses.map((connection) => this.#findAt(connection, payment, untilSlot));
    const findings = givenOf(await Promise.allSettled(searches));
    const included = findings.find(({ kind }) => kind === 'landed');
    const isAbsent = findings.every(({ kind }) => kind === 'absent');
    return included ?? { kind: isAbsent ? 'absent' : 'unclear' };
  }

  async #findAt(connection: Connection, payment: Payment, untilSlot: bigint | null): Promise<Finding> {
    const payer = new PublicKey(payment.payer);
    const oldestMs = payment.validBefore.getTime() - blockhashLifeMs - historySlackMs;
    let isClear = untilSlot !== null;
    let before: string | undefined;
    for (let page = 0; page < history.pagesMax; page += 1) {
      const minContextSlot = isClear ? Number(untilSlot) : undefined;
      const options = { limit: history.pageSize, before, minContextSlot };
      const records = await connection.getSignaturesForAddress(payer, options).catch((error: unknown) => {
        if (minContextSlot === undefined || !isBehind(error)) throw error;
        isClear = false;
        return connection.getSignaturesForAddress(payer, { ...options, minContextSlot: undefined });
      });
      const recent = records.filter(({ blockTime }) => !blockTime || blockTime * 1000 >= oldestMs);
      for (const { signature } of recent) {
        const finding = await this.#read(connection, signature, payment);
        if (finding.kind === 'landed') return finding;
        isClear &&= finding.kind === 'absent';
      }
      if (recent.length < history.pageSize) return { kind: isClear ? 'absent' : 'unclear' };
      before = records.at(-1)?.signature;
    }
    return { kind: 'unclear' };
  }

  async #read(connection: Connection, signature: string, payment: Payment): Promise<Finding> {
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    if (!found) return { kind: 'unclear' };
    const message = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
    if (message !== payment.authorization) return { kind: 'absent' };
    // Every RPC is asked, because a payment depends on it.
    const status = await this.#statuses.ofPayment(signature, payment);
    if (!isIncluded(status)) return { kind: 'unclear' };
    return { kind: 'landed', signature, status };
  }
}
