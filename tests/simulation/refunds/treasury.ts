import type { SignedRefund } from '@/lib/operator/refunds/wallet-refund';
import type { SignedTransfer, WalletTransfer } from '@/lib/payments/refund-transfer';
import type { World } from '../world';
import { EvmTreasury } from './evm-treasury';
import { SolanaTreasury } from './solana-treasury';
import type { Outgoing, TreasuryWallet } from './wallet';

/** The wallets of the treasury, one for each network. */
export class Treasury {
  readonly #base: EvmTreasury;
  readonly #solana: SolanaTreasury | null;

  constructor(world: World) {
    this.#base = new EvmTreasury(world);
    this.#solana = world.solana && new SolanaTreasury(world.solana);
  }

  walletOn(network: string): TreasuryWallet {
    return network === 'base' ? this.#base : this.#onSolana;
  }

  get #onSolana(): SolanaTreasury {
    if (!this.#solana) throw new Error('nobody pays on Solana');
    return this.#solana;
  }

  sign(toSign: WalletTransfer): SignedTransfer {
    if (toSign.family === 'solana')
      return { family: 'solana', transaction: this.#onSolana.sign(toSign.transaction) };
    const { typedData, validBefore } = toSign;
    return { family: 'evm', signature: this.#base.sign(typedData), validBefore };
  }

  /** Sends a transaction for Base that carries out what it has signed. @returns its hash */
  sendAccepted(accepted: Extract<SignedRefund, { family: 'evm' }>, gas?: number): string {
    return this.#base.send(accepted, gas);
  }

  /** All transfers that the chains have in the end. */
  outgoing(): readonly Outgoing[] {
    return [...this.#base.outgoing(), ...(this.#solana?.outgoing() ?? [])];
  }
}
