import { LAMPORTS_PER_SOL, PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { OpenTransaction, Outbox, SettlementJournal, SignerLeases } from '@/lib/payments/journal';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type {
  Charge,
  FinalityStatus,
  Outcome,
  SettledTransaction,
  Trace,
  Verification,
} from '@/lib/payments/outcome';
import { isPayerProven, type Payment, type SolanaSigned } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type {
  Maintained,
  NetworkCharging,
  NetworkProblem,
  OwnBalances,
  SettlementLoad,
  SettlementWork,
  WalletAnswer,
  WalletVerification,
} from '@/lib/payments/settlers';
import { backoffMs } from '@/lib/platform/backoff';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { Expiry } from './blockhash-expiry';
import { SmartWalletLimits } from './smart-wallet-limits';
import { solanaBalances, solanaUsdcOf } from './solana-balances';
import { checkCluster, payeeProblems, SolanaChain } from './solana-chain';
import { SolanaLookup } from './solana-lookup';
import { SolanaOverdraftCheck } from './solana-overdraft';
import { type Included, isAbsentUntil, isIncluded, outcomeIn } from './solana-statuses';
import { blockhashLifeMs, expiredAfterBlocks, parseTransaction, transactionFee } from './solana-transaction';
import { SolanaVerifier, transferOf } from './solana-verifier';

const lookUps = (app: ChainPlatform) => app.problems.get('look-ups on Solana');

/** Settles on Solana: verifies with the official scheme, co-signs, broadcasts and follows transactions. */
export class SolanaSettler implements NetworkCharging, WalletVerification, Maintained {
  readonly kind = 'solana';
  readonly #app: ChainPlatform;
  readonly #chain: SolanaChain;
  readonly #verifier: SolanaVerifier;
  readonly #wallets: SmartWalletLimits;
  readonly #overdraftCheck: SolanaOverdraftCheck;
  readonly #outbox: Outbox;
  readonly #leases: SignerLeases;
  /** Payments that wait for others of the same payer. */
  #waiting = 0;
  readonly #expiry: Expiry;
  /** For payments that a remote server has co-signed. */
  readonly #lookup: SolanaLookup;

  constructor(
    app: ChainPlatform,
    offer: Offer<SolanaNetwork>,
    nodes: RpcNodes,
    secretKey: string,
    journal: Pick<SettlementJournal, 'outbox' | 'leases' | 'gas'>,
  ) {
    this.#app = app;
    this.#chain = new SolanaChain(app, offer, nodes, secretKey);
    this.#overdraftCheck = new SolanaOverdraftCheck(this.#app, this.#chain.connection);
    this.#expiry = new Expiry(this.#chain.connection);
    this.#lookup = new SolanaLookup(this.#app, offer, nodes);
    this.#verifier = new SolanaVerifier(this.#chain);
    this.#wallets = new SmartWalletLimits(app, offer.network.name, journal.gas);
    this.#outbox = journal.outbox;
    this.#leases = journal.leases;
  }

  /** The account that pays the network fee. */
  get feePayer(): string {
    return this.#chain.feePayer;
  }

  async verify(payment: Payment, client?: string): Promise<Verification> {
    const verified = await this.#verifier.verify(payment);
    return isPayerProven(payment) ? verified : this.#wallets.within(verified, payment, client);
  }

  askWallet(payment: Payment): Promise<WalletAnswer> {
    return this.#verifier.askWallet(payment);
  }

  settle(charge: Charge): Promise<Outcome> {
    return isPayerProven(charge.payment)
      ? this.#send(charge)
      : this.#wallets.run(charge, () => this.#sendOfWallet(charge));
  }

  /** A smart wallet's payment is verified again when its turn has come: its program may have changed its mind. */
  async #sendOfWallet(charge: Charge): Promise<Outcome> {
    const transaction = parseTransaction(solanaSigned(charge.payment).transaction);
    if (!transaction) return { kind: 'refused', reason: 'invalid_exact_svm_payload_transaction' };
    try {
      const verified = await this.verify(charge.payment);
      if (verified.ok) return this.#send(charge);
      return this.#refuse(charge, this.#chain.coSign(transaction).signature, verified.reason);
    } catch (error) {
      this.#app.log.warn(
        { paidCallId: charge.paidCallId, error: describeError(error) },
        'a payment of a smart wallet could not be verified',
      );
      return { kind: 'unknown', transactionHash: null };
    }
  }

  async #send(charge: Charge): Promise<Outcome> {
    const transaction = parseTransaction(solanaSigned(charge.payment).transaction);
    const transfer = transaction && transferOf(transaction, charge.payment);
    if (!transaction || !transfer)
      return { kind: 'refused', reason: 'invalid_exact_svm_payload_transaction' };
    const { signature, raw } = this.#chain.coSign(transaction);
    const { authorization } = charge.payment;
    const deadline = this.#app.clock.monotonic() + this.#app.timings.solana.serialWithinMs;
    this.#waiting += 1;
    const admitting = this.#overdraftCheck.admit(transfer, authorization, deadline);
    const admission = await admitting.finally(() => {
      this.#waiting -= 1;
    });
    if (admission.kind === 'late') return { kind: 'unknown', transactionHash: null };
    if (admission.kind === 'overdrawn') return this.#refuse(charge, signature, 'insufficient_funds');
    try {
      await this.#outbox.recordPrepared({
        network: this.#chain.offer.network.name,
        signer: this.feePayer,
        nonce: null,
        hash: signature,
        raw: new Uint8Array(raw),
        charges: [charge],
      });
    } catch (error) {
      admission.end();
      this.#app.log.error({ error: describeError(error) }, 'a Solana settlement was not prepared');
      return { kind: 'unknown', transactionHash: null };
    }
    await this.#broadcast(raw);
    return this.#watch(charge, signature, raw, admission.end);
  }

  /** The payment may be impossible because this same transaction has already landed, and another process may still be sending it. */
  async #refuse(charge: Charge, signature: string, reason: string): Promise<Outcome> {
    if (await this.#outbox.isUnderWay(charge)) return { kind: 'unknown', transactionHash: null };
    const status = await this.#chain.statuses.of(signature).catch(() => null);
    return status?.kind === 'absent'
      ? this.#outbox.refuseUnlessSent(charge, reason)
      : { kind: 'unknown', transactionHash: null };
  }

  /**
   * Only a transaction with the fee payer's signature can land, and the signature is deterministic. So its status decides,
   * and it can no longer land once its blockhash has expired. A node without a status for it must have reached that point
   * too. A transaction signed with an earlier fee payer key is found by its recorded signature. One that a remote server
   * co-signed, before the network had a key of ours, is searched for among the payer's transactions.
   */
  async resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome> {
    const transaction = parseTransaction(solanaSigned(payment).transaction);
    if (!transaction) return { kind: 'refused', reason: 'invalid_exact_svm_payload_transaction' };
    const isOurs = transaction.message.staticAccountKeys[0]?.toBase58() === this.feePayer;
    const signature = isOurs ? this.#chain.coSign(transaction).signature : trace.transactionHash;
    if (signature === null) return this.#lookup.resolveOutcome(payment, trace);
    const { statuses } = this.#chain;
    try {
      const found = await statuses.ofPayment(signature, payment);
      if (found.kind !== 'absent') {
        lookUps(this.#app).end({});
        return isIncluded(found)
          ? outcomeIn(signature, found)
          : { kind: 'unknown', transactionHash: signature };
      }
      // The slot that an absence has to reach is read first, so that a transaction that lands in between is still found.
      const head = await statuses.finalizedHead();
      // For a payment without a call, it is enough that nobody has used it.
      const isOld = trace.id !== undefined && head.height > trace.sinceHeight + expiredAfterBlocks;
      const end = isOld ? await this.#expiry.slotOf(signature, transaction, head) : null;
      const slot = end !== null && end > head.slot ? end : head.slot;
      const status = await statuses.ofPayment(signature, payment);
      lookUps(this.#app).end({});
      if (isIncluded(status)) return outcomeIn(signature, status);
      if (!isAbsentUntil({ slot }, status))
        return { kind: 'unknown', transactionHash: trace.transactionHash };
      if (end !== null) return { kind: 'refused', reason: 'transaction_expired_unused' };
      return { kind: 'unknown', transactionHash: trace.transactionHash, isUnused: true };
    } catch (error) {
      lookUps(this.#app).report(
        'warn',
        { error: describeError(error) },
        'Solana payments cannot be looked up',
      );
    }
    return { kind: 'unknown', transactionHash: trace.transactionHash };
  }

  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    return this.#chain.statuses.checkFinality(transactions);
  }

  /** Follows transactions whose process has died: records their status, or that their blockhash has expired. */
  async maintain({ hasLeftBehind }: SettlementWork): Promise<void> {
    if (!hasLeftBehind) return;
    const network = this.#chain.offer.network.name;
    // Any number of processes may send with a fee payer's key. Only one at a time follows abandoned transactions, even those
    // of an earlier key, because following needs no key.
    const open: OpenTransaction[] = [];
    for (const signer of await this.#leases.signersOfOpen(network))
      open.push(...((await this.#leases.acquire(network, signer, []))?.open ?? []));
    for (const transaction of open) await this.#follow(transaction);
    for (const transaction of open) await this.#giveUp(transaction);
  }

  /** Records the slot in which a transaction has landed, and its result. */
  async #follow({ hash, charges, raw }: OpenTransaction): Promise<void> {
    const [charge] = charges;
    if (!charge) return;
    const status = await this.#chain.statuses.ofPayment(hash, charge.payment);
    if (isIncluded(status)) await this.#recordIncluded(charges, hash, raw, status);
  }

  /** Records that a transaction can no longer land. Our clock alone does not decide this, because it may be wrong. */
  async #giveUp({ hash, raw, preparedAt }: OpenTransaction): Promise<void> {
    const { deadAfterMs } = this.#app.timings.solana;
    const isOld = this.#app.clock.now() > preparedAt.getTime() + blockhashLifeMs + deadAfterMs;
    if (!isOld || (await this.#chain.statuses.of(hash)).kind !== 'absent') return;
    const head = await this.#chain.statuses.finalizedHead();
    const end = await this.#expiry.slotOf(hash, VersionedTransaction.deserialize(raw), head);
    if (end !== null && isAbsentUntil({ slot: end }, await this.#chain.statuses.of(hash)))
      await this.#outbox.recordDropped(this.#chain.offer.network.name, [hash]);
  }

  async check(): Promise<NetworkProblem[]> {
    const { connection, statuses, offer } = this.#chain;
    await this.#wallets.refresh();
    return (await Promise.all([checkCluster(connection, statuses, offer), this.#feeProblems()])).flat();
  }

  /** Without SOL for the fee, the simulation of every payment fails. */
  async commonProblems(): Promise<NetworkProblem[]> {
    const { connection, offer } = this.#chain;
    return (await Promise.all([payeeProblems(connection, offer), this.#feeProblems()])).flat();
  }

  async #feeProblems(): Promise<NetworkProblem[]> {
    const lamports = await this.#chain.connection.getBalance(new PublicKey(this.feePayer));
    if (lamports >= LAMPORTS_PER_SOL / 100) return [];
    const message = `the fee payer ${this.feePayer} holds ${lamports / LAMPORTS_PER_SOL} SOL`;
    return [{ message, advice: 'Send it some SOL.' }];
  }

  balances(): Promise<OwnBalances> {
    return solanaBalances(this.#chain.connection, this.#chain.offer, this.feePayer);
  }

  usdcOf(owner: string): Promise<bigint> {
    return solanaUsdcOf(this.#chain.connection, this.#chain.offer, owner);
  }

  get load(): SettlementLoad {
    return { waiting: this.#waiting, pending: this.#overdraftCheck.count };
  }

  async #broadcast(raw: Uint8Array): Promise<void> {
    try {
      await this.#chain.connection.sendRawTransaction(raw, { skipPreflight: true, maxRetries: 0 });
    } catch (error) {
      this.#app.log.warn(
        { error: describeError(error) },
        'a Solana broadcast was not acknowledged; polling for its status',
      );
    }
  }

  async #watch(charge: Charge, signature: string, raw: Uint8Array, onOver: () => void): Promise<Outcome> {
    const late: Outcome = { kind: 'unknown', transactionHash: signature };
    const known = this.#untilConfirmed(charge, signature, raw)
      .catch((error: unknown) => {
        this.#app.log.error(
          { transaction: signature, error: describeError(error) },
          'a Solana settlement was not recorded',
        );
        return late;
      })
      .finally(onOver);
    return inTime(this.#app.clock, known, this.#app.timings.solana.answerWithinMs, late);
  }

  async #untilConfirmed(charge: Charge, signature: string, raw: Uint8Array): Promise<Outcome> {
    const startedAt = this.#app.clock.monotonic();
    const end = this.#app.metrics.settlementSeconds.startTimer({ network: this.#chain.offer.network.name });
    let resendAt = startedAt + this.#app.timings.solana.resendEveryMs;
    const { pollFirstMs: firstMs, pollMaxMs: maxMs, watchMs } = this.#app.timings.solana;
    for (let polls = 0; this.#app.clock.monotonic() - startedAt < watchMs; polls += 1) {
      const status = await this.#chain.statuses.ofPayment(signature, charge.payment).catch(() => null);
      if (status && isIncluded(status)) {
        end();
        return this.#recordIncluded([charge], signature, raw, status);
      }
      if (this.#app.clock.monotonic() >= resendAt) {
        resendAt = this.#app.clock.monotonic() + this.#app.timings.solana.resendEveryMs;
        await this.#broadcast(raw);
      }
      await this.#app.clock.sleep(backoffMs({ firstMs, maxMs }, polls));
    }
    return { kind: 'unknown', transactionHash: signature };
  }

  async #recordIncluded(
    charges: readonly Charge[],
    signature: string,
    raw: Uint8Array,
    included: Included,
  ): Promise<Outcome> {
    const outcome = outcomeIn(signature, included);
    const transaction = VersionedTransaction.deserialize(raw);
    const feeAtomic = transactionFee(transaction);
    const inVain = included.kind === 'failed' ? this.#wallets.inVain(charges, transaction, feeAtomic) : [];
    await this.#outbox.recordMined({
      network: this.#chain.offer.network.name,
      hash: signature,
      block: { number: included.slot, hash: null },
      gasUsed: 0n,
      feeAtomic,
      outcomes: charges.map((charge) => ({ charge, outcome })),
      feeInVainAtomic: inVain.length > 0 ? feeAtomic : 0n,
      inVain,
      failedIds: included.kind === 'failed' ? charges.map(({ paidCallId }) => paidCallId) : [],
    });
    return outcome;
  }
}

function solanaSigned(payment: Payment): SolanaSigned {
  if (payment.signed.family !== 'solana') throw new Error(`not a Solana payment on ${payment.network}`);
  return payment.signed;
}
