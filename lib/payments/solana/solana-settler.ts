import { LAMPORTS_PER_SOL, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import type { OpenTransaction, Outbox, SettlementJournal, SignerLeases } from '@/lib/payments/journal';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import {
  type Charge,
  type FinalityStatus,
  type Outcome,
  payerBlocked,
  type SettledTransaction,
  type Trace,
  type Verification,
} from '@/lib/payments/outcome';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type {
  Maintained,
  NetworkCharging,
  NetworkProblem,
  OwnBalances,
  SettlementLoad,
  SettlementWork,
} from '@/lib/payments/settlers';
import { backoffMs } from '@/lib/platform/backoff';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { Expiry } from './blockhash-expiry';
import { solanaBalances, solanaUsdcOf } from './solana-balances';
import { checkCluster, payeeProblems, SolanaChain } from './solana-chain';
import { SolanaLookup } from './solana-lookup';
import { SolanaOverdraftCheck } from './solana-overdraft';
import { headOf, heightAt, type Included, isAbsentUntil, isIncluded, outcomeIn } from './solana-statuses';
import {
  blockhashLifeMs,
  expiredAfterBlocks,
  findTransfer,
  involvesFeePayer,
  parseTransaction,
  simulationFailed,
  transactionFee,
} from './solana-transaction';

const lookUps = (app: ChainPlatform) => app.problems.get('look-ups on Solana');

/**
 * Limits on the fees that a payer may make us pay. The official client asks for 1 micro-lamport and 20,000 units,
 * wallets for a little more. Two signatures (payer and fee payer) cost 10,000 lamports.
 */
const feeCaps = { maxPriorityFeeMicroLamports: 50_000, maxComputeUnits: 100_000, maxRequiredSignatures: 2 };

/** Settles on Solana: verifies with the official scheme, co-signs, broadcasts and follows transactions. */
export class SolanaSettler implements NetworkCharging, Maintained {
  readonly kind = 'solana';
  readonly #app: ChainPlatform;
  readonly #chain: SolanaChain;
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
    journal: Pick<SettlementJournal, 'outbox' | 'leases'>,
  ) {
    this.#app = app;
    this.#chain = new SolanaChain(app, offer, nodes, secretKey);
    this.#overdraftCheck = new SolanaOverdraftCheck(this.#app, this.#chain.connection);
    this.#expiry = new Expiry(this.#chain.connection);
    this.#lookup = new SolanaLookup(this.#app, offer, nodes);
    this.#outbox = journal.outbox;
    this.#leases = journal.leases;
  }

  /** The account that pays the network fee. */
  get feePayer(): string {
    return this.#chain.feePayer;
  }

  async verify(payment: Payment): Promise<Verification> {
    const { transaction } = solanaSigned(payment);
    const parsed = parseTransaction(transaction);
    if (parsed && involvesFeePayer(parsed)) {
      const reason = 'invalid_exact_svm_payload_transaction_fee_payer_in_instruction';
      return { ok: false, reason, height: 0n };
    }
    const { network, asset, payTo } = this.#chain.offer;
    const requirements = {
      scheme: 'exact',
      network: network.caip2,
      asset,
      payTo,
      amount: payment.amountAtomic.toString(),
      maxTimeoutSeconds: 300,
      extra: { feePayer: this.feePayer },
    };
    let away: unknown;
    let isFrozen = false;
    let simulatedIn = 0n;
    const signer = this.#chain.schemeSigner({
      simulated: (slot) => {
        simulatedIn = slot;
      },
      away: (cause) => {
        away = cause;
      },
      frozen: () => {
        isFrozen = true;
      },
    });
    const [head, verdict] = await Promise.all([
      headOf(this.#chain.connection, 'confirmed'),
      new ExactSvmScheme(signer, undefined, feeCaps).verify(
        {
          x402Version: 2,
          accepted: requirements,
          payload: { transaction },
        },
        requirements,
      ),
    ]);
    const height = heightAt(simulatedIn, head);
    if (verdict.isValid) return { ok: true, height };
    // If the node did not respond, a 402 would be wrong: its payer would sign a second payment.
    if (away !== undefined) throw away;
    if (isFrozen) return { ok: false, reason: payerBlocked, height };
    // Some codes have an exception message after a colon, which does not go to the caller.
    const [reason] = (verdict.invalidReason ?? 'invalid_exact_svm_verification_failed').split(':');
    const isShort = reason === simulationFailed && parsed !== null && (await this.#isShort(parsed, payment));
    return {
      ok: false,
      reason: isShort ? `${reason}_insufficient_balance` : (reason ?? ''),
      height,
    };
  }

  /** Whether a payment cannot work because its payer holds too little. False when the node does not say. */
  async #isShort(transaction: VersionedTransaction, { amountAtomic }: Payment): Promise<boolean> {
    const source = findTransfer(transaction)?.source;
    if (!source) return false;
    try {
      const { value } = await this.#chain.connection.getTokenAccountBalance(source, 'confirmed');
      return BigInt(value.amount) < amountAtomic;
    } catch (error) {
      return /could not find account/i.test(String(error));
    }
  }

  async settle(charge: Charge): Promise<Outcome> {
    const transaction = parseTransaction(solanaSigned(charge.payment).transaction);
    const transfer = transaction && findTransfer(transaction);
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
    if (admission.kind === 'overdrawn') return this.#refuseOverdrawn(charge, signature);
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

  /** The balance may be too low because this same transaction has already landed, and another process may still be sending it. */
  async #refuseOverdrawn(charge: Charge, signature: string): Promise<Outcome> {
    if (await this.#outbox.isUnderWay(charge)) return { kind: 'unknown', transactionHash: null };
    const status = await this.#chain.statuses.of(signature).catch(() => null);
    return status?.kind === 'absent'
      ? this.#outbox.refuseUnlessSent(charge, 'insufficient_funds')
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
      const found = await statuses.of(signature);
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
      const status = await statuses.of(signature);
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
    const status = await this.#chain.statuses.of(hash);
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
      const status = await this.#chain.statuses.of(signature).catch(() => null);
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
    await this.#outbox.recordMined({
      network: this.#chain.offer.network.name,
      hash: signature,
      block: { number: included.slot, hash: null },
      gasUsed: 0n,
      feeAtomic: transactionFee(VersionedTransaction.deserialize(raw)),
      outcomes: charges.map((charge) => ({ charge, outcome })),
      feeInVainAtomic: 0n,
      inVain: [],
      failedIds: included.kind === 'failed' ? charges.map(({ paidCallId }) => paidCallId) : [],
    });
    return outcome;
  }
}

function solanaSigned(payment: Payment): SolanaSigned {
  if (payment.signed.family !== 'solana') throw new Error(`not a Solana payment on ${payment.network}`);
  return payment.signed;
}
