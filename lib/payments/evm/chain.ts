import pLimit from 'p-limit';
import {
  createPublicClient,
  fallback,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { GroupCommit } from '@/lib/concurrency/group-commit';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';
import type { EvmSigned, Payment, Verification } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';
import { type AccountCode, decodeCodes, encodeCodeQuery } from './account-code';
import { type Batcher, type BatchResult, decodeBatch, encodeBatch, findBatcher } from './batcher';
import { refusalReason } from './calls';
import { type Fees, feesFor } from './fees';
import { groupSizeMax, transactionGas, transferGas } from './gas-limits';
import { rpcFetch } from './json-rpc';

/** What is known of the newest block; refreshed when it is older than a block. */
interface Head {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly readAt: number;
}

/** Payers with code are simulated one by one; so many at a time. */
const simulatedAloneMax = 8;

/** What the chain says of a payment, and of the account that makes it. */
export type EvmVerification = Verification & {
  /** Null when the payer has no code: then its signature alone decides. */
  readonly code: AccountCode | null;
};

/** How a simulation differs from that of a group of payers without code. */
interface Simulation {
  readonly cap?: bigint;
  readonly from?: Hex | null;
  readonly fees?: Fees;
}

/** One EVM chain as the payment rails see it: its head, and whether payments would go through. */
export class EvmChain {
  readonly #app: Platform;
  readonly offer: Offer<EvmNetwork>;
  /** For what anyone may say: the first RPC that answers. */
  readonly client: PublicClient;
  /** For what value depends on: every RPC by itself. */
  readonly #witnesses: readonly PublicClient[];
  #head: Promise<Head> | null = null;
  #priorityFee: { perGas: bigint; readAt: number } | null = null;
  readonly #verifications: GroupCommit<Payment<EvmSigned>, EvmVerification>;
  readonly #codeQueries: GroupCommit<Hex, { code: AccountCode | null }>;
  readonly #alone = pLimit(simulatedAloneMax);
  /** What was seen of the payers of payments that are being worked on. */
  readonly #codes = new WeakMap<EvmSigned, AccountCode | null>();
  /** Whom simulations name as the sender: a settlement key; null where others settle. */
  readonly #sender: Hex | null;
  #batcher: Promise<Batcher | null> | null = null;

  constructor(app: Platform, offer: Offer<EvmNetwork>, sender: Hex | null = null) {
    this.#app = app;
    this.offer = offer;
    this.#sender = sender;
    // Calls made in the same turn travel as one JSON-RPC batch. A failed read is tried once more, a sending never here.
    const transports = offer.rpcUrls.map((url) =>
      http(url, { batch: { wait: 0 }, fetchFn: rpcFetch, retryCount: 1, timeout: 10_000 }),
    );
    this.#witnesses = transports.map((transport) => createPublicClient({ transport }));
    const [only] = this.#witnesses;
    this.client =
      transports.length === 1 && only ? only : createPublicClient({ transport: fallback(transports) });
    this.#verifications = new GroupCommit((payments) => this.#verifyGroup(payments), {
      sizeMax: groupSizeMax(offer.network),
      inFlightMax: 4,
    });
    this.#codeQueries = new GroupCommit(
      async (payers) => (await this.#askForCodes(payers)).map((code) => ({ code })),
      { sizeMax: 100, inFlightMax: 2 },
    );
  }

  get token(): Hex {
    // configuredOffers has checksummed it, so it starts with 0x.
    return this.offer.asset as Hex;
  }

  /** The newest block, at most two seconds old. */
  async head(): Promise<Head> {
    const known = await this.#head?.catch(() => null);
    if (known && this.#app.clock.now() - known.readAt < this.#app.timings.evm.headAgeMaxMs) return known;
    this.#head = this.client.getBlock().then((block) => ({
      number: block.number,
      timestamp: block.timestamp,
      baseFeePerGas: block.baseFeePerGas ?? 0n,
      readAt: this.#app.clock.now(),
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
    if (known && this.#app.clock.now() - known.readAt < this.#app.timings.evm.priorityFeeAgeMaxMs)
      return known.perGas;
    const perGas = await this.client.estimateMaxPriorityFeePerGas();
    this.#priorityFee = { perGas, readAt: this.#app.clock.now() };
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

  /** The contract that settlements go through; throws when there is none. */
  async batcher(): Promise<Batcher> {
    const batcher = await (this.#batcher ?? this.findBatcher());
    if (!batcher) throw new Error('there is no multicall contract on this chain');
    return batcher;
  }

  /** Looks for the contract anew. @returns null when the chain has none */
  async findBatcher(): Promise<Batcher | null> {
    const found = findBatcher(this.client, this.offer.network);
    const [batcher, before] = await Promise.all([found, this.#batcher]);
    this.#batcher = batcher ? found : null;
    if (batcher && !batcher.hasGasLimits && batcher.address !== before?.address) {
      this.#app.log.warn({ network: this.offer.network.name }, 'no multicall contract with gas limits');
    }
    return batcher;
  }

  /**
   * Would this payment go through now? Asked of the chain together with every other that is asked at the moment. A payer
   * with code is then asked about once more by itself, because what its code answers may depend on how it is asked.
   */
  async verify(payment: Payment<EvmSigned>): Promise<EvmVerification> {
    const verification = await this.#verifications.add(payment);
    if (verification.code === null) return verification;
    return { ...(await this.verifyAlone(payment, this.#sender)), code: verification.code };
  }

  /**
   * The same for a payer with code, exactly as the transaction would carry it: sender, gas price, gas limits, contract.
   * @param ahead payments of the same payer that are in the way already
   */
  verifyAlone(
    payment: Payment<EvmSigned>,
    from: Hex | null,
    ahead: readonly Payment<EvmSigned>[] = [],
  ): Promise<Verification> {
    return this.#alone(async () => {
      const fees = from ? await this.fees() : undefined;
      const verdicts = await this.simulate([...ahead, payment], { cap: transferGas.withCode, from, fees });
      return verdictAt(verdicts, ahead.length);
    });
  }

  /** The code of a payer: as the payment's verification saw it a moment ago, otherwise asked of the chain. */
  async codeOf({ payer, signed }: Payment<EvmSigned>): Promise<AccountCode | null> {
    const known = this.#codes.get(signed);
    if (known !== undefined) return known;
    // recognizeEvmPayment has checksummed it, so it starts with 0x.
    const { code } = await this.#codeQueries.add(payer as Hex);
    this.#codes.set(signed, code);
    return code;
  }

  /**
   * What would come of these payments if one transaction now carried them, in this order. Without fees no gas price is
   * set: the token looks at none, and nodes would demand a balance that covers the largest group.
   */
  async simulate(
    payments: readonly Payment<EvmSigned>[],
    { cap = transferGas.withoutCode, from = this.#sender, fees }: Simulation = {},
  ): Promise<Verification[]> {
    const batcher = await this.batcher();
    const gas = transactionGas(this.offer.network, payments.length, cap);
    const [head, { data }] = await Promise.all([
      this.head(),
      this.client.call({
        account: from ?? undefined,
        to: batcher.address,
        data: encodeBatch(batcher, this.token, payments, cap),
        // More than one transaction may ask for is no simulation of one; then the node's own limit applies.
        gas: gas <= this.offer.network.gasPerTransactionMax ? gas : undefined,
        ...fees,
      }),
    ]);
    const results = decodeBatch(batcher, data);
    return payments.map((_, index) => verdictOf(results[index], head.number));
  }

  async #verifyGroup(payments: readonly Payment<EvmSigned>[]): Promise<EvmVerification[]> {
    // In one simulation the second of two equal authorizations would fail, as if somebody else had used it.
    const distinct = [...new Map(payments.map((payment) => [identityOf(payment), payment])).values()];
    const verdicts = await this.#verifyDistinct(distinct);
    return payments.map((payment) => {
      const verdict = verdicts.get(identityOf(payment));
      if (!verdict) throw new Error('a payment was simulated and has no verdict');
      this.#codes.set(payment.signed, verdict.code);
      return verdict;
    });
  }

  /** One round trip, unless payers with code were in the way of the others. */
  async #verifyDistinct(payments: readonly Payment<EvmSigned>[]): Promise<Map<string, EvmVerification>> {
    const [{ hasGasLimits }, codes, together] = await Promise.all([
      this.batcher(),
      this.#askForCodes(payments.map(({ payer }) => payer as Hex)),
      this.simulate(payments).catch((error: unknown) => ({ error })),
    ]);
    const withoutCode = payments.filter((_, index) => codes[index] === null);
    const areAlone = withoutCode.length === payments.length;
    if ('error' in together && areAlone) throw together.error;
    const isReliable = !('error' in together) && (hasGasLimits || areAlone);
    const verdicts = isReliable ? together : await this.#withoutOthers(payments, withoutCode);
    return new Map(
      payments.map((payment, index) => [
        identityOf(payment),
        { ...verdictAt(verdicts, index), code: codes[index] ?? null },
      ]),
    );
  }

  /** Simulates some of the payments; of the others, which are simulated by themselves later, nothing is said. */
  async #withoutOthers(
    payments: readonly Payment<EvmSigned>[],
    simulated: readonly Payment<EvmSigned>[],
  ): Promise<Verification[]> {
    const verdicts = simulated.length > 0 ? await this.simulate(simulated) : [];
    const unsaid: Verification = { ok: false, reason: 'payer_has_code', height: 0n };
    return payments.map((payment) => verdicts[simulated.indexOf(payment)] ?? unsaid);
  }

  async #askForCodes(payers: readonly Hex[]): Promise<(AccountCode | null)[]> {
    const { data } = await this.client.call({ data: encodeCodeQuery(payers) });
    return decodeCodes(data, payers.length);
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

function verdictOf(result: BatchResult | undefined, height: bigint): Verification {
  if (!result) throw new Error('the multicall contract answered fewer results than calls');
  return result.success
    ? { ok: true, height }
    : { ok: false, reason: refusalReason(result.returnData), height };
}

function verdictAt(verdicts: readonly Verification[], index: number): Verification {
  const verdict = verdicts[index];
  if (!verdict) throw new Error('a payment was simulated and has no verdict');
  return verdict;
}
