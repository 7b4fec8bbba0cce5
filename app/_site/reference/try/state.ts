import type { PayableNetwork } from '@/app/_wallets/networks';

/** What the server tells the script of "Try it". */
export interface TryState {
  /** The ID of the operation. */
  readonly operation: string;
  readonly method: string;
  /** The path over x402, with segments in braces. */
  readonly path: string;
  readonly takesBody: boolean;
  readonly isTest: boolean;
  readonly networks: readonly PayableNetwork[];
}

/** The page's name for the payments that it signs. */
export const pageOf = (operation: string): string => `try ${operation}`;

/** IDs of the elements that the script uses. */
export const tryIds = {
  panel: 'try',
  close: 'try-close',
  state: 'try-state',
  form: 'try-form',
  fields: 'try-fields',
  asJson: 'try-as-json',
  bodyField: 'try-body-field',
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
