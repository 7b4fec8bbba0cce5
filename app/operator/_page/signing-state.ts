/** What the server passes to the script of the signing page. */
export interface SigningState {
  readonly refundId: string;
  readonly callId: string;
  /** The network's own name, and the one that people see. */
  readonly network: string;
  readonly label: string;
  readonly family: 'evm' | 'solana';
  /** Zero on Solana. */
  readonly chainId: number;
  /** The treasury's address. */
  readonly from: string;
  /** USDC, for people. */
  readonly amount: string;
}

/** IDs of the elements that the script uses. */
export const ids = {
  state: 'signing-state',
  form: 'signing',
  wallets: 'wallets',
  noWallet: 'no-wallet',
  sign: 'sign',
  problem: 'problem',
  problemTitle: 'problem-title',
  problemText: 'problem-text',
  status: 'status',
} as const;
