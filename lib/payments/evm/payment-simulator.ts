import type { Hex } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { Verification } from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import type { WalletAnswer } from '@/lib/payments/settlers';
import { FairLimit, type Place } from '@/lib/platform/concurrency/fair-limit';
import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import { type AccountCode, decodeCodes, encodeCodeQuery } from './account-code';
import { authorizationDigest } from './authorization';
import { type BatchResult, decodeBatch, encodeBatch, unlessReverted } from './batcher';
import type { EvmChain } from './evm-chain';
import { type Fees, groupSizeMax, transactionGas, transferGas, walletCallGas } from './evm-gas';
import { invalidSignature, refusalReason, undeployedWallet } from './usdc-token';
import { encodeIsValidSignature, isMagicValue } from './wallet-signature';

/** How many payers with code are simulated at a time, and how many more may wait. */
const simulatedAlone = { size: 8, waitingMax: 1_000 };

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
  readonly #alone = new FairLimit(simulatedAlone);
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
   * Simulates a payment, in one call with all others that are being verified. A payer with code is then simulated again
   * alone, because its code may answer differently depending on the call. The payment of a contract wallet is only simulated
   * alone: until the wallet has confirmed it, anyone may have made it up.
   * @param client whose turn is used when payers with code have to wait; null for a claimed call, which goes first
   */
  async verify(payment: Payment<EvmSigned>, client: string | null = null): Promise<EvmVerification> {
    if (!isPayerProven(payment))
      return this.#alone.run(() => this.#verifyWallet(payment), placeOf(payment, client));
    if (payment.signed.call) return this.#verifyCall(payment, client);
    const verification = await this.#verifications.add(payment);
    if (verification.code === null) return verification;
    const alone = await this.verifyAlone(payment, this.#sender, [], client);
    return { ...alone, code: verification.code };
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
    client: string | null = null,
  ): Promise<Verification> {
    return this.#alone.run(() => this.#simulateAlone(payment, from, ahead), placeOf(payment, client));
  }

  /** Asks a contract wallet, as the token would, whether a signature is its own. */
  askWallet(payment: Payment<EvmSigned>, client: string): Promise<WalletAnswer> {
    const digest = authorizationDigest(this.#chain.offer, payment.signed);
    const call = {
      account: this.#chain.token,
      to: payment.signed.authorization.from,
      data: encodeIsValidSignature(digest, payment.signed),
      gas: walletCallGas,
    };
    return this.#alone.run(
      async () => {
        const [code, answer] = await Promise.all([
          this.codeOf(payment),
          this.#chain.client.call(call).then(({ data }) => data, unlessReverted),
        ]);
        if (isMagicValue(answer)) return 'signed';
        const isOfKey = code === null && reasonWithoutCode(payment.signed) === invalidSignature;
        return isOfKey ? 'no_wallet' : 'not_signed';
      },
      placeOf(payment, client),
    );
  }

  async #simulateAlone(
    payment: Payment<EvmSigned>,
    from: Hex | null,
    ahead: readonly Payment<EvmSigned>[],
  ): Promise<Verification> {
    const fees = from ? await this.#chain.fees() : undefined;
    const verdicts = await this.simulate([...ahead, payment], { cap: transferGas.withCode, from, fees });
    return verdictAt(verdicts, ahead.length);
  }

  /** Reads the code and simulates in one round trip. Without code, the simulation says nothing about the wallet. */
  async #verifyWallet(payment: Payment<EvmSigned>): Promise<EvmVerification> {
    const [code, simulated] = await Promise.all([
      this.codeOf(payment),
      this.#simulateAlone(payment, this.#sender, []).catch((error: unknown) => ({ error })),
    ]);
    if (code === null) return { ok: false, reason: reasonWithoutCode(payment.signed), height: 0n, code };
    if ('error' in simulated) throw simulated.error;
    return { ...simulated, code };
  }

  /** A payment that calls another contract takes more gas than a transfer, so it is simulated and sent alone. */
  async #verifyCall(payment: Payment<EvmSigned>, client: string | null): Promise<EvmVerification> {
    const [code, verification] = await Promise.all([
      this.codeOf(payment),
      this.verifyAlone(payment, this.#sender, [], client),
    ]);
    return { ...verification, code };
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
   * Simulates one transaction with these payments, in this order. Without `fees` no gas price is set: the token ignores it,
   * and nodes would require a sender who can pay for the largest group.
   */
  async simulate(
    payments: readonly Payment<EvmSigned>[],
    { cap = transferGas.withoutCode, from = this.#sender, fees }: Simulation = {},
  ): Promise<Verification[]> {
    const batcher = await this.#chain.batcher();
    const gas = transactionGas(this.#chain.offer.network, payments, cap);
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
    // The transaction that follows needs the fees. Requesting them now puts their reads into the same batch.
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

/** Clients take turns, and so do the payers of each client. */
function placeOf({ payer }: Payment, client: string | null): Place {
  return client === null ? { rank: 0, group: payer } : { rank: 1, group: client, payer };
}

/** Signatures of keys are shorter than this, even in unusual forms. In bytes. */
const longSignatureBytes = 96;

/**
 * A signature in ERC-6492's form, or a long one, comes from a contract wallet that is not deployed. Any other is more likely
 * an invalid signature of a key.
 */
function reasonWithoutCode({ signer, signature }: EvmSigned): string {
  const isLong = signature.length >= 2 + 2 * longSignatureBytes;
  return signer === 'undeployed' || isLong ? undeployedWallet : invalidSignature;
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
