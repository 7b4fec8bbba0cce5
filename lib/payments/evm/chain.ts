import {
  createPublicClient,
  decodeAbiParameters,
  fallback,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { GroupCommit } from '@/lib/group-commit';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';
import type { EvmSigned, Payment, Verification } from '@/lib/payments/payment';
import { encodeBatch, multicall3, refusalReason } from './calls';
import { type Fees, feesFor } from './fees';
import { rpcFetch } from './json-rpc';

/** What aggregate3 returns. */
const multicallResultAbi = [
  {
    type: 'tuple[]',
    components: [
      { name: 'success', type: 'bool' },
      { name: 'returnData', type: 'bytes' },
    ],
  },
] as const;

/** What is known of the newest block; refreshed when it is older than a block. */
interface Head {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly readAt: number;
}

const headAgeMaxMs = 2_000;
const priorityFeeAgeMaxMs = 30_000;

/** One EVM chain as the payment rails see it: its head, and whether payments would go through. */
export class EvmChain {
  readonly offer: Offer<EvmNetwork>;
  /** For what anyone may say: the first RPC that answers. */
  readonly client: PublicClient;
  /** For what value depends on: every RPC by itself. */
  readonly #witnesses: readonly PublicClient[];
  #head: Promise<Head> | null = null;
  #priorityFee: { perGas: bigint; readAt: number } | null = null;
  readonly #verifications: GroupCommit<Payment<EvmSigned>, Verification>;

  constructor(offer: Offer<EvmNetwork>) {
    this.offer = offer;
    // Calls made in the same turn travel as one JSON-RPC batch. A failed read is tried once more, a sending never here.
    const transports = offer.rpcUrls.map((url) =>
      http(url, { batch: { wait: 0 }, fetchFn: rpcFetch, retryCount: 1, timeout: 10_000 }),
    );
    this.#witnesses = transports.map((transport) => createPublicClient({ transport }));
    const [only] = this.#witnesses;
    this.client =
      transports.length === 1 && only ? only : createPublicClient({ transport: fallback(transports) });
    this.#verifications = new GroupCommit((payments) => this.#verifyGroup(payments), {
      sizeMax: 100,
      inFlightMax: 4,
    });
  }

  get token(): Hex {
    // configuredOffers has checksummed it, so it starts with 0x.
    return this.offer.asset as Hex;
  }

  /** The newest block, at most two seconds old. */
  async head(): Promise<Head> {
    const known = await this.#head?.catch(() => null);
    if (known && Date.now() - known.readAt < headAgeMaxMs) return known;
    this.#head = this.client.getBlock().then((block) => ({
      number: block.number,
      timestamp: block.timestamp,
      baseFeePerGas: block.baseFeePerGas ?? 0n,
      readAt: Date.now(),
    }));
    return this.#head;
  }

  /** What a transaction should offer per gas now. */
  async fees(): Promise<Fees> {
    const [{ baseFeePerGas }, priorityFee] = await Promise.all([this.head(), this.#currentPriorityFee()]);
    return feesFor(baseFeePerGas, priorityFee, this.offer.network.feePerGasMax);
  }

  async #currentPriorityFee(): Promise<bigint> {
    const known = this.#priorityFee;
    if (known && Date.now() - known.readAt < priorityFeeAgeMaxMs) return known.perGas;
    const perGas = await this.client.estimateMaxPriorityFeePerGas();
    this.#priorityFee = { perGas, readAt: Date.now() };
    return perGas;
  }

  /** The receipt of a transaction, once every RPC that answers has the same; null before. */
  async receipt(hash: Hex): Promise<TransactionReceipt | null> {
    const [first, ...others] = this.#witnesses;
    const receipt = first ? await receiptAt(first, hash).catch(() => null) : null;
    if (receipt && others.length === 0) return receipt;
    if (!receipt && this.#witnesses.length === 1) return null;
    return this.unanimous((client) => receiptAt(client, hash), describeReceipt);
  }

  /**
   * Asks every RPC, and believes only what all that answer agree on: a node may lag, and one may lie.
   * @param summary what has to be equal
   * @returns null when they disagree; throws when none answers
   */
  async unanimous<T>(
    ask: (client: PublicClient) => Promise<T>,
    summary: (answer: T) => string,
  ): Promise<T | null> {
    const answers = await Promise.allSettled(this.#witnesses.map(ask));
    const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first] = given;
    if (first === undefined) throw (answers[0] as PromiseRejectedResult).reason;
    const isUnanimous = given.every((answer) => summary(answer) === summary(first));
    return isUnanimous ? first : null;
  }

  /** Would this payment go through now? Asked of the chain together with every other that is asked at the moment. */
  verify(payment: Payment<EvmSigned>): Promise<Verification> {
    return this.#verifications.add(payment);
  }

  /** What would come of these payments if one transaction now carried them, in this order. */
  async simulate(payments: readonly Payment<EvmSigned>[]): Promise<Verification[]> {
    const [head, { data }] = await Promise.all([
      this.head(),
      this.client.call({ to: multicall3, data: encodeBatch(this.token, payments) }),
    ]);
    const results = decodeAggregate(data);
    return payments.map((_, index) => verdictOf(results[index], head.number));
  }

  async #verifyGroup(payments: readonly Payment<EvmSigned>[]): Promise<Verification[]> {
    // In one simulation the second of two equal authorizations would fail, as if somebody else had used it.
    const distinct = [...new Map(payments.map((payment) => [identityOf(payment), payment])).values()];
    const results = await this.simulate(distinct);
    const verdicts = new Map(distinct.map((payment, index) => [identityOf(payment), results[index]]));
    return payments.map((payment) => {
      const verdict = verdicts.get(identityOf(payment));
      if (!verdict) throw new Error('a payment was simulated and has no verdict');
      return verdict;
    });
  }
}

/** @returns null when the node knows no such receipt, or names another transaction; throws when it cannot be asked */
async function receiptAt(client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    return receipt.transactionHash === hash ? receipt : null;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** What two receipts of one transaction must agree on: where it lies, and what it did. */
function describeReceipt(receipt: TransactionReceipt | null): string {
  if (!receipt) return 'none';
  const logs = receipt.logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]);
  return JSON.stringify([receipt.blockHash, receipt.status, logs]);
}

function identityOf({ payer, authorization }: Payment<EvmSigned>): string {
  return `${payer} ${authorization}`;
}

function verdictOf(result: AggregateResult | undefined, height: bigint): Verification {
  if (!result) throw new Error('Multicall3 answered fewer results than calls');
  return result.success ? { ok: true, height } : { ok: false, reason: refusalReason(result.returnData) };
}

interface AggregateResult {
  readonly success: boolean;
  readonly returnData: Hex;
}

function decodeAggregate(data: Hex | undefined): readonly AggregateResult[] {
  // No data: there is no Multicall3 at its address, which the check at start rules out.
  if (!data) throw new Error('Multicall3 gave no answer');
  return decodeAbiParameters(multicallResultAbi, data)[0];
}
