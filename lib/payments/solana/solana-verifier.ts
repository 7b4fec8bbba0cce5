import type { ParsedInnerInstruction, VersionedTransaction } from '@solana/web3.js';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { z } from 'zod';
import { payerBlocked, type Verification } from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import type { WalletAnswer } from '@/lib/payments/settlers';
import { paysExactly, smartWalletCaps, transferOfWallet, walletRefusal } from './smart-wallet';
import type { SolanaChain } from './solana-chain';
import { headOf, heightAt } from './solana-statuses';
import {
  findTransfer,
  involvesFeePayer,
  parseTransaction,
  simulationFailed,
  type Transfer,
} from './solana-transaction';

/**
 * Limits on the fees that a payer may make us pay. The official client asks for 1 micro-lamport and 20,000 units,
 * wallets for a little more. Two signatures (payer and fee payer) cost 10,000 lamports.
 */
const feeCaps = { maxPriorityFeeMicroLamports: 50_000, maxComputeUnits: 100_000 };
const maxRequiredSignatures = 2;

/** The official scheme's reason for a smart wallet whose program does not make the one transfer that it should. */
const transferMismatch = 'invalid_exact_svm_smart_wallet_transfer_mismatch';

/** Verifies payments on Solana with the official scheme. Moves no money. */
export class SolanaVerifier {
  readonly #chain: SolanaChain;

  constructor(chain: SolanaChain) {
    this.#chain = chain;
  }

  async verify(payment: Payment): Promise<Verification> {
    const transaction = payment.signed.family === 'solana' ? payment.signed.transaction : '';
    const parsed = parseTransaction(transaction);
    if (parsed && involvesFeePayer(parsed)) {
      const reason = 'invalid_exact_svm_payload_transaction_fee_payer_in_instruction';
      return { ok: false, reason, height: 0n };
    }
    const { network, asset, payTo, walletPrograms } = this.#chain.offer;
    const requirements = {
      scheme: 'exact',
      network: network.caip2,
      asset,
      payTo,
      amount: payment.amountAtomic.toString(),
      maxTimeoutSeconds: 300,
      extra: { feePayer: this.#chain.feePayer },
    };
    let away: unknown;
    let isFrozen = false;
    let simulatedIn = 0n;
    let inner: readonly ParsedInnerInstruction[] = [];
    const isOfWallet = !isPayerProven(payment);
    const signer = this.#chain.schemeSigner(
      {
        simulated: (slot, instructions) => {
          simulatedIn = slot;
          inner = instructions;
        },
        away: (cause) => {
          away = cause;
        },
        frozen: () => {
          isFrozen = true;
        },
      },
      isOfWallet,
    );
    const caps = isOfWallet
      ? {
          enableSmartWalletVerification: true,
          smartWalletMaxComputeUnits: smartWalletCaps.computeUnits,
          smartWalletMaxPriorityFeeMicroLamports: smartWalletCaps.microLamports,
          smartWalletAllowedPrograms: [...walletPrograms],
        }
      : feeCaps;
    const scheme = new ExactSvmScheme(signer, undefined, { ...caps, maxRequiredSignatures });
    const [head, verdict] = await Promise.all([
      headOf(this.#chain.connection, 'confirmed'),
      scheme.verify({ x402Version: 2, accepted: requirements, payload: { transaction } }, requirements),
    ]);
    const height = heightAt(simulatedIn, head);
    if (verdict.isValid) {
      // The scheme accepts more than the price, and money from any account.
      const transfer = isOfWallet && parsed ? transferOfWallet(parsed, payment) : null;
      const isExact = !isOfWallet || (transfer !== null && paysExactly(transfersIn(inner), transfer));
      return isExact ? { ok: true, height } : { ok: false, reason: transferMismatch, height };
    }
    // If the node did not respond, a 402 would be wrong: its payer would sign a second payment.
    if (away !== undefined) throw away;
    if (isFrozen) return { ok: false, reason: payerBlocked, height };
    // Some codes have an exception message after a colon, which does not go to the caller.
    const [given] = (verdict.invalidReason ?? 'invalid_exact_svm_verification_failed').split(':');
    const reason = given?.endsWith('smart_wallet_simulation_failed') ? simulationFailed : given;
    const isShort = reason === simulationFailed && parsed !== null && (await this.#isShort(parsed, payment));
    return { ok: false, reason: isShort ? `${reason}_insufficient_balance` : (reason ?? ''), height };
  }

  /** Asks the program of a smart wallet whether the signers of a payment may pay from it at any time. */
  async askWallet(payment: Payment): Promise<WalletAnswer> {
    const parsed = payment.signed.family === 'solana' ? parseTransaction(payment.signed.transaction) : null;
    const transfer = parsed && transferOfWallet(parsed, payment);
    if (!transfer || walletRefusal(parsed, this.#chain.offer.walletPrograms) !== null) return 'not_signed';
    const { value } = await this.#chain.connection.simulateTransaction(parsed, {
      commitment: 'confirmed',
      sigVerify: false,
      replaceRecentBlockhash: true,
      innerInstructions: true,
    });
    const isSigned = !value.err && paysExactly(transfersIn(value.innerInstructions ?? []), transfer);
    return isSigned ? 'signed' : 'not_signed';
  }

  /** Whether a payment cannot work because its payer holds too little. False when the node does not say. */
  async #isShort(transaction: VersionedTransaction, payment: Payment): Promise<boolean> {
    const source = transferOf(transaction, payment)?.source;
    if (!source) return false;
    try {
      const { value } = await this.#chain.connection.getTokenAccountBalance(source, 'confirmed');
      return BigInt(value.amount) < payment.amountAtomic;
    } catch (error) {
      return /could not find account/i.test(String(error));
    }
  }
}

/** The transfer that a payment stands for. */
export function transferOf(transaction: VersionedTransaction, payment: Payment): Transfer | null {
  return isPayerProven(payment) ? findTransfer(transaction) : transferOfWallet(transaction, payment);
}

/** How RPC nodes return TransferChecked of the token programs in a simulation. */
const parsedTransfer = z.object({
  parsed: z.object({
    type: z.literal('transferChecked'),
    info: z.object({
      source: z.string(),
      destination: z.string(),
      authority: z.string(),
      tokenAmount: z.object({ amount: z.string() }),
    }),
  }),
});

function transfersIn(inner: readonly ParsedInnerInstruction[]) {
  return inner.flatMap(({ instructions }) =>
    instructions.flatMap((instruction) => {
      const { data } = parsedTransfer.safeParse(instruction);
      return data ? [{ ...data.parsed.info, amount: data.parsed.info.tokenAmount.amount }] : [];
    }),
  );
}
