/** The state that the server passes to the page's script. */
export interface DepositState {
  readonly accountId: string;
  readonly networks: readonly DepositNetwork[];
  /** USDC, decimal. */
  readonly min: string;
  readonly max: string;
}

export interface DepositNetwork {
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  readonly caip2: string;
  readonly family: 'evm' | 'solana';
  /** The page of a transaction; `{hash}` stands for its hash. */
  readonly explorer: string;
}

/** IDs of the elements that the script uses. */
export const ids = {
  state: 'deposit-state',
  form: 'deposit',
  amount: 'amount',
  wallets: 'wallets',
  noWallet: 'no-wallet',
  pay: 'pay',
  problem: 'problem',
  problemTitle: 'problem-title',
  problemText: 'problem-text',
  status: 'status',
  receipt: 'receipt',
  paidAmount: 'paid-amount',
  paidNetwork: 'paid-network',
  paidTransaction: 'paid-transaction',
  again: 'again',
} as const;
