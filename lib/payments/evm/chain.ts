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
import { type Fees, feesFor, groupSizeMax, transactionGas, transferGas } from './gas';
import { rpcFetch } from './json-rpc';
import { refusalReason } from './token';

/** The newest block, cached for about a block time. */
interface Head {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly readAt: number;
}

/** How many payers with code are simulated at a time. */
const simulatedAloneMax = 8;

/** A verification, with the code of the payer. */
export type EvmVerification = Verification & {
  /** Null when the payer has no code, so that only its signature counts. */
  readonly code: AccountCode | null;
};

/** The settings of a simulation. The defaults are those for a group of payers without code. */
interface Simulation {
  readonly cap?: bigint;
  readonly from?: Hex | null;
  readonly fees?: Fees;
}

/** Reads one EVM chain: its head and fees, and whether payments would go through. */
export class EvmChain {
  readonly #app: Platform;
  readonly offer: Offer<EvmNetwork>;
  /** For data that no payment depends on: the first RPC that answers. */
  readonly client: PublicClient;
  /** For data that payments depend on: every RPC separately. */
  readonly #witnesses: readonly PublicClient[];
  #head: Promise<Head> | null = null;
  #priorityFee: { perGas: bigint; readAt: number } | null = null;
  readonly #verifications: GroupCommit<Payment<EvmSigned>, EvmVerification>;
  readonly #codeQueries: GroupCommit<Hex, { code: AccountCode | null }>;
  readonly #alone = pLimit(simulatedAloneMax);
  /** The code of payers, by the payment that was verified. */
  readonly #codes = new WeakMap<EvmSigned, AccountCode | null>();
  /** The sender in simulations: a settlement key; null where others settle. */
  readonly #sender: Hex | null;
  #batcher: Promise<Batcher | null> | null = null;

  constructor(app: Platform, offer: Offer<EvmNetwork>, sender: Hex | null = null) {
    this.#app = app;
    this.offer = offer;
    this.#sender = sender;
    // Calls of the same event loop turn share one JSON-RPC batch. Failed reads are retried once, broadcasts are not
    // retried here.
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
    // configuredOffers checksums it, so it starts with 0x.
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

  /** The fees that a transaction should offer now. */
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

  /** The receipt of a transaction, once every RPC that answers returns the same; otherwise null. */
  async receipt(hash: Hex): Promise<TransactionReceipt | null> {
    const [first, ...others] = this.#witnesses;
    const receipt = first ? await receiptAt(first, hash).catch(() => null) : null;
    if (receipt && others.length === 0) return receipt;
    if (!receipt && this.#witnesses.length === 1) return null;
    return this.unanimous((client) => receiptAt(client, hash), describeReceipt);
  }

  /**
   * Asks every RPC, and returns the answer only if all that respond agree. One node may lag behind, or lie.
   * @param summary what has to be equal
   * @returns null when they disagree; throws when none responds
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

  /** The multicall contract that settlements use; throws when there is none. */
  async batcher(): Promise<Batcher> {
    const batcher = await (this.#batcher ?? this.findBatcher());
    if (!batcher) throw new Error('there is no multicall contract on this chain');
    return batcher;
  }

  /** Looks for the contract again. @returns null when the chain has none */
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
   * Simulates a payment, in one call with all others that are verified at the moment. A payer with code is then
   * simulated again alone, because its code may answer differently depending on the call.
   */
  async verify(payment: Payment<EvmSigned>): Promise<EvmVerification> {
    const verification = await this.#verifications.add(payment);
    if (verification.code === null) return verification;
    return { ...(await this.verifyAlone(payment, this.#sender)), code: verification.code };
  }

  /**
   * Simulates a payment of a payer with code exactly as its transaction will be sent: sender, fees, gas limits,
   * contract.
   * @param ahead pending payments of the same payer
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

  /** The code of a payer: from the payment's recent verification, otherwise from the chain. */
  async codeOf({ payer, signed }: Payment<EvmSigned>): Promise<AccountCode | null> {
    const known = this.#codes.get(signed);
    if (known !== undefined) return known;
    // recognizeEvmPayment checksums it, so it starts with 0x.
    const { code } = await this.#codeQueries.add(payer as Hex);
    this.#codes.set(signed, code);
    return code;
  }

  /**
   * Simulates one transaction with these payments, in this order. Without fees no gas price is set: the token does not
   * look at it, and nodes would require a balance for the largest group.
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
        // A simulation above the gas limit of one transaction uses the node's own limit.
        gas: gas <= this.offer.network.gasPerTransactionMax ? gas : undefined,
        ...fees,
      }),
    ]);
    const results = decodeBatch(batcher, data);
    return payments.map((_, index) => verdictOf(results[index], head.number));
  }

  async #verifyGroup(payments: readonly Payment<EvmSigned>[]): Promise<EvmVerification[]> {
    // Two equal authorizations in one simulation would make the second fail as already used.
    const distinct = [...new Map(payments.map((payment) => [identityOf(payment), payment])).values()];
    const verdicts = await this.#verifyDistinct(distinct);
    return payments.map((payment) => {
      const verdict = verdicts.get(identityOf(payment));
      if (!verdict) throw new Error('a payment was simulated and has no verdict');
      this.#codes.set(payment.signed, verdict.code);
      return verdict;
    });
  }

  /** One round trip, unless payers with code made the simulation unreliable for the others. */
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

  /** Simulates only some of the payments. The others are simulated alone later, and fail here. */
  async #withoutOthers(
    payments: readonly Payment<EvmSigned>[],
    simulated: readonly Payment<EvmSigned>[],
  ): Promise<Verification[]> {
    const verdicts = simulated.length > 0 ? await this.simulate(simulated) : [];
    const notSimulated: Verification = { ok: false, reason: 'payer_has_code', height: 0n };
    return payments.map((payment) => verdicts[simulated.indexOf(payment)] ?? notSimulated);
  }

  async #askForCodes(payers: readonly Hex[]): Promise<(AccountCode | null)[]> {
    const { data } = await this.client.call({ data: encodeCodeQuery(payers) });
    return decodeCodes(data, payers.length);
  }
}

/**
 * @returns null when the node has no such receipt, or returns another transaction's; throws when it does not respond
 */
async function receiptAt(client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    return receipt.transactionHash === hash ? receipt : null;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** What two receipts of one transaction must agree on: its block and its effects. */
function describeReceipt(receipt: TransactionReceipt | null): string {
  if (!receipt) return 'none';
  const logs = receipt.logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]);
  return JSON.stringify([receipt.blockHash, receipt.status, logs]);
}

function identityOf({ payer, authorization }: Payment<EvmSigned>): string {
  return `${payer} ${authorization}`;
}

function verdictOf(result: BatchResult | undefined, height: bigint): Verification {
  if (!result) throw new Error('the multicall contract returned fewer results than calls');
  return result.success
    ? { ok: true, height }
    : { ok: false, reason: refusalReason(result.returnData), height };
}

function verdictAt(verdicts: readonly Verification[], index: number): Verification {
  const verdict = verdicts[index];
  if (!verdict) throw new Error('a payment was simulated and has no verdict');
  return verdict;
}
