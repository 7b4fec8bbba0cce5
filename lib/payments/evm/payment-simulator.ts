import pLimit from 'p-limit';
import type { Hex } from 'viem';
import { GroupCommit } from '@/lib/concurrency/group-commit';
import type { EvmSigned, Payment, Verification } from '@/lib/payments/payment';
import { type AccountCode, decodeCodes, encodeCodeQuery } from './account-code';
import { type BatchResult, decodeBatch, encodeBatch } from './batcher';
import type { EvmChain } from './chain';
import { type Fees, groupSizeMax, transactionGas, transferGas } from './gas';
import { refusalReason } from './token';

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

/** Simulates payments on a chain, to find out whether they would go through. */
export class PaymentSimulator {
  readonly #chain: EvmChain;
  readonly #verifications: GroupCommit<Payment<EvmSigned>, EvmVerification>;
  readonly #codeQueries: GroupCommit<Hex, { code: AccountCode | null }>;
  readonly #alone = pLimit(simulatedAloneMax);
  /** The code of payers, by the payment that was verified. */
  readonly #codes = new WeakMap<EvmSigned, AccountCode | null>();
  /** The sender in simulations: a settlement key; null where others settle. */
  readonly #sender: Hex | null;

  constructor(chain: EvmChain, sender: Hex | null = null) {
    this.#chain = chain;
    this.#sender = sender;
    this.#verifications = new GroupCommit((payments) => this.#verifyGroup(payments), {
      sizeMax: groupSizeMax(chain.offer.network),
      inFlightMax: 4,
    });
    this.#codeQueries = new GroupCommit(
      async (payers) => (await this.#askForCodes(payers)).map((code) => ({ code })),
      { sizeMax: 100, inFlightMax: 2 },
    );
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
      const fees = from ? await this.#chain.fees() : undefined;
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
    const batcher = await this.#chain.batcher();
    const gas = transactionGas(this.#chain.offer.network, payments.length, cap);
    const [head, { data }] = await Promise.all([
      this.#chain.head(),
      this.#chain.client.call({
        account: from ?? undefined,
        to: batcher.address,
        data: encodeBatch(batcher, this.#chain.token, payments, cap),
        // A simulation above the gas limit of one transaction uses the node's own limit.
        gas: gas <= this.#chain.offer.network.gasPerTransactionMax ? gas : undefined,
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
    // The transaction that follows needs the fees. What is not known of them is read in the same batch.
    if (this.#sender) this.#chain.fees().catch(() => undefined);
    const [{ hasGasLimits }, codes, together] = await Promise.all([
      this.#chain.batcher(),
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
    const { data } = await this.#chain.client.call({ data: encodeCodeQuery(payers) });
    return decodeCodes(data, payers.length);
  }
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
