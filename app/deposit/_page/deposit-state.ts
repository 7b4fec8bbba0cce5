import type { PayableNetwork } from '@/app/_wallets/networks';
import type { Step } from '@/app/_wallets/payment';

/** The state that the server passes to the page's script. */
export interface DepositState {
  readonly accountId: string;
  /** USDC in the account when the page was made, decimal. */
  readonly balance: string;
  readonly networks: readonly DepositNetwork[];
  /** USDC, decimal. */
  readonly min: string;
  readonly max: string;
}

export interface DepositNetwork extends PayableNetwork {
  /** Who is paid. */
  readonly payTo: string;
  /** The contract of USDC, or its mint. */
  readonly asset: string;
}

/** Amounts that have their own button, in USDC. */
export const presets = ['5', '10', '25', '50', '100'] as const;

/** IDs of the elements that the script uses. */
export const ids = {
  state: 'deposit-state',
  start: 'start',
  form: 'deposit',
  balance: 'balance',
  amount: 'amount',
  amountError: 'amount-error',
  presets: 'presets',
  wallets: 'wallets',
  walletError: 'wallet-error',
  noWallet: 'no-wallet',
  install: 'install',
  holder: 'holder',
  networks: 'networks',
  networkError: 'network-error',
  total: 'total',
  afterName: 'after-name',
  after: 'after',
  phone: 'phone',
  copy: 'copy',
  payTo: 'pay-to',
  asset: 'asset',
  pay: 'pay',
  problem: 'problem',
  problemTitle: 'problem-title',
  problemText: 'problem-text',
  status: 'status',
  steps: 'steps',
  receipt: 'receipt',
  paidTitle: 'paid-title',
  paidAmount: 'paid-amount',
  paidFrom: 'paid-from',
  paidAt: 'paid-at',
  paidAccount: 'paid-account',
  paidNetwork: 'paid-network',
  paidTransaction: 'paid-transaction',
  paidCall: 'paid-call',
  paidBalance: 'paid-balance',
  print: 'print',
  again: 'again',
} as const;

/** The steps of a payment, in order. */
export const steps: readonly Step[] = ['price', 'sign', 'confirm'];

export const stepWords: Readonly<Record<Step, string>> = {
  price: 'Get the price',
  sign: 'Sign in your wallet',
  confirm: 'Wait for the network to confirm it',
};
