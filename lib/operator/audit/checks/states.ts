import type { PaidCallState } from '@/lib/ledger/states';

/** The states whose money is ours: a transfer on chain must stand behind each. */
export const paidStates: readonly PaidCallState[] = [
  'settled',
  'delivering',
  'delivered',
  'kept',
  'needs_attention',
  'refunded',
];

/** The states in which a payment is prepaid: taken, and neither earned nor given back. */
export const prepaidStates: readonly PaidCallState[] = ['settled', 'delivering', 'needs_attention'];

/** The states from which the program goes on by itself. */
export const openStates: readonly PaidCallState[] = [
  'claimed',
  'prepared',
  'settling',
  'unknown',
  'settled',
  'delivering',
];
