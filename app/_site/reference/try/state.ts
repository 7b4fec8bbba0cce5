/** What the server tells the script of "Try it". */
export interface TryState {
  /** The ID of the operation. */
  readonly operation: string;
  readonly method: string;
  /** The path over x402, with segments in braces. */
  readonly path: string;
  readonly takesBody: boolean;
  readonly isTest: boolean;
  readonly networks: readonly TryNetwork[];
}

export interface TryNetwork {
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
  readonly caip2: string;
  readonly family: 'evm' | 'solana';
  /** The page of a transaction; `{hash}` stands for its hash. */
  readonly explorer: string;
}

/** IDs of the elements that the script uses. */
export const tryIds = {
  details: 'try',
  state: 'try-state',
  form: 'try-form',
  body: 'try-body',
  status: 'try-status',
  problem: 'try-problem',
  problemTitle: 'try-problem-title',
  problemText: 'try-problem-text',
  answer: 'try-answer',
  payForm: 'try-pay',
  networks: 'try-networks',
  wallets: 'try-wallets',
  noWallet: 'try-no-wallet',
  review: 'try-review',
  dialog: 'try-dialog',
  dialogText: 'try-dialog-text',
  confirm: 'try-confirm',
  cancel: 'try-cancel',
  paid: 'try-paid',
} as const;
