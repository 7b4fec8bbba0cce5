// The public types of the entry for Solana, which is given out with this file as its declarations.
import type { PaywallNetwork } from './index.js';

export interface SolanaOptions {
  readonly network: 'solana-mainnet' | 'solana-devnet';
  /** HTTP URLs of nodes. If one fails or is slow, the next one is asked. */
  readonly rpcUrls: readonly string[];
  /** The wallet that gets the payments, base58. It must have had USDC before, so that its token account exists. Nothing here needs its key. */
  readonly payTo: string;
  /**
   * The secret key of an account with a little SOL, which pays the fees: base58 of 64 bytes, as wallets export it. It signs
   * nothing else.
   */
  readonly settlementKey: string;
  /** The mint of USDC, if it is not Circle's, as on a local chain. */
  readonly usdc?: string;
}

/**
 * Takes payments in USDC on Solana, over x402. MPP has no method for it here.
 * @throws Error when an option is malformed
 */
export declare function solana(options: SolanaOptions): PaywallNetwork;
