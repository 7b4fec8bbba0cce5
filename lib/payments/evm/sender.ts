import { type Hex, hexToBytes, keccak256, type TransactionReceipt } from 'viem';
import { describeError, log } from '@/lib/log';
import { GroupCommit } from '@/lib/payments/group-commit';
import type { Charge, EvmSigned, Outcome, Payment, SettlementJournal } from '@/lib/payments/payment';
import { encodeBatch, multicall3 } from './calls';
import type { EvmChain } from './chain';
import { findOutEvm } from './find-out';
import { carriesPayment } from './receipts';
import type { EvmSigner } from './signer';

export interface EvmCharge extends Charge {
  readonly payment: Payment<EvmSigned>;
}

/** A signed settlement transaction on its way into a block. */
interface Sent {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly charges: readonly EvmCharge[];
}

/** Payments in one transaction: 100 take some 7 million gas, well under the block limit of every network. */
const paymentsPerTransactionMax = 100;
/** Gas of the transaction itself, of Multicall3's loop and of rounding. */
const gasOverhead = 60_000n;
/** A caller waits this long for a block; later the outcome is reported as unknown and watched on. */
const answerWithinMs = 20_000;
/** The watch ends here; what is still open then is found out from the chain by recovery. */
const watchMs = 10 * 60_000;
const resendEveryMs = 3_000;
const pollMs = { first: 20, max: 500 };

/**
 * The one sender of a key on a chain. Payments that arrive while a transaction is being prepared go out together in the
 * next; transactions follow each other in nonce order without waiting for blocks. Nothing leaves before the journal
 * holds it, signed; after that only the chain decides what came of it.
 */
export class EvmSender {
  readonly #chain: EvmChain;
  readonly #signer: EvmSigner;
  readonly #journal: SettlementJournal;
  readonly #groups: GroupCommit<EvmCharge, { outcome: Promise<Outcome> }>;
  #nextNonce: number | null = null;
  #priorityFeePerGas: bigint | null = null;

  constructor(chain: EvmChain, signer: EvmSigner, journal: SettlementJournal) {
    this.#chain = chain;
    this.#signer = signer;
    this.#journal = journal;
    // One group at a time prepares and sends; waiting for its block is not part of the group's run.
    this.#groups = new GroupCommit((charges) => this.#send(charges), {
      sizeMax: paymentsPerTransactionMax,
      inFlightMax: 1,
    });
  }

  get address(): string {
    return this.#signer.address;
  }

  async charge(charge: EvmCharge): Promise<Outcome> {
    const { outcome } = await this.#groups.add(charge);
    return outcome;
  }

  async #send(charges: readonly EvmCharge[]): Promise<{ outcome: Promise<Outcome> }[]> {
    let sent: Sent;
    try {
      sent = await this.#prepare(charges);
    } catch (error) {
      // Not broadcast by us now; but whether the journal took it is open, so recovery decides, not this request.
      this.#nextNonce = null;
      log().error({ network: this.#network, error: describeError(error) }, 'a settlement was not prepared');
      return charges.map(() => ({
        outcome: Promise.resolve<Outcome>({ kind: 'unknown', transactionHash: null }),
      }));
    }
    await this.#broadcast(sent);
    const outcomes = this.#watch(sent);
    return charges.map((charge) => ({
      outcome: outcomes.then(
        (known) => known.get(charge.paidCallId) ?? { kind: 'unknown', transactionHash: sent.hash },
      ),
    }));
  }

  async #prepare(charges: readonly EvmCharge[]): Promise<Sent> {
    const [head, nonce, priorityFee] = await Promise.all([
      this.#chain.head(),
      this.#takeNonce(),
      this.#priorityFee(),
    ]);
    const raw = this.#signer.signTransaction({
      type: 'eip1559',
      chainId: this.#chain.offer.network.chainId,
      nonce,
      to: multicall3,
      data: encodeBatch(
        this.#chain.token,
        charges.map(({ payment }) => payment),
      ),
      gas: gasOverhead + this.#chain.offer.network.gasPerPayment * BigInt(charges.length),
      maxPriorityFeePerGas: priorityFee,
      // Twice the base fee outlives six full blocks of rises (EIP-1559: at most an eighth each).
      maxFeePerGas: head.baseFeePerGas * 2n + priorityFee,
    });
    const sent = { hash: keccak256(raw), raw, charges };
    await this.#journal.prepared({
      network: this.#network,
      signer: this.#signer.address,
      nonce: BigInt(nonce),
      hash: sent.hash,
      raw: new Uint8Array(hexToBytes(raw)),
      charges,
    });
    this.#nextNonce = nonce + 1;
    return sent;
  }

  /** The next nonce of the key: counted here, asked of the chain only at the start and after a failure. */
  async #takeNonce(): Promise<number> {
    return (
      this.#nextNonce ??
      this.#chain.client.getTransactionCount({ address: this.#signer.address, blockTag: 'pending' })
    );
  }

  async #priorityFee(): Promise<bigint> {
    this.#priorityFeePerGas ??= await this.#chain.client.estimateMaxPriorityFeePerGas();
    return this.#priorityFeePerGas;
  }

  /** Hands the transaction to the node. Whatever the node answers, the transaction may be out from here on. */
  async #broadcast(sent: Sent): Promise<void> {
    try {
      await this.#chain.client.sendRawTransaction({ serializedTransaction: sent.raw });
    } catch (error) {
      log().warn(
        { network: this.#network, transaction: sent.hash, error: describeError(error) },
        'a broadcast was not acknowledged; the chain will tell',
      );
    }
  }

  /** Waits for the block, and gives the callers what is known by the time they have to be answered. */
  async #watch(sent: Sent): Promise<Map<string, Outcome>> {
    const answered = this.#untilMined(sent).then((receipt) =>
      receipt ? this.#judge(sent, receipt) : new Map(),
    );
    answered.catch((error: unknown) => {
      log().error(
        { transaction: sent.hash, error: describeError(error) },
        'a mined settlement was not recorded',
      );
    });
    const timer = new AbortController();
    const late = sleep(answerWithinMs, timer.signal).then(() => new Map<string, Outcome>());
    try {
      return await Promise.race([answered, late]);
    } catch {
      return new Map();
    } finally {
      timer.abort();
    }
  }

  async #untilMined(sent: Sent): Promise<TransactionReceipt | null> {
    const startedAt = Date.now();
    let resendAt = startedAt + resendEveryMs;
    let wait = pollMs.first;
    while (Date.now() - startedAt < watchMs) {
      const receipt = await this.#chain.client.getTransactionReceipt({ hash: sent.hash }).catch(() => null);
      if (receipt) return receipt;
      if (Date.now() >= resendAt) {
        resendAt = Date.now() + resendEveryMs;
        // The node may never have got it, or dropped it; sending the same bytes again can do no harm.
        await this.#broadcast(sent);
      }
      await sleep(wait);
      wait = Math.min(wait * 2, pollMs.max);
    }
    // The nonce may be stuck behind this one: ask the chain before the next transaction.
    this.#nextNonce = null;
    return null;
  }

  async #judge(sent: Sent, receipt: TransactionReceipt): Promise<Map<string, Outcome>> {
    const outcomes = await Promise.all(
      sent.charges.map(async (charge) => ({ charge, outcome: await this.#outcomeOf(charge, sent, receipt) })),
    );
    await this.#journal.mined({
      network: this.#network,
      hash: sent.hash,
      blockNumber: receipt.blockNumber,
      gasUsed: receipt.gasUsed,
      feeAtomic: receipt.gasUsed * receipt.effectiveGasPrice,
      outcomes,
    });
    return new Map(outcomes.map(({ charge, outcome }) => [charge.paidCallId, outcome]));
  }

  /** A payment that its transaction did not carry was submitted by somebody else first, or cannot be charged. */
  async #outcomeOf(charge: EvmCharge, sent: Sent, receipt: TransactionReceipt): Promise<Outcome> {
    if (carriesPayment(receipt, charge.payment)) return { kind: 'settled', transactionHash: sent.hash };
    const verification = await this.#chain.verify(charge.payment).catch(() => null);
    if (verification && !verification.ok && verification.reason !== 'invalid_exact_evm_nonce_already_used') {
      return { kind: 'refused', reason: verification.reason };
    }
    const head = await this.#chain.head();
    const sinceHeight = head.number > 1_000n ? head.number - 1_000n : 0n;
    return findOutEvm(this.#chain, charge.payment, { sinceHeight, transactionHash: null });
  }

  get #network() {
    return this.#chain.offer.network.name;
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
