/** Why a transfer cannot be booked or kept, or not now. For the operator: each says what to do. */
const messages = {
  transfer_not_found: 'There is no transfer with this id on the worklist.',
  transaction_unknown:
    'The transaction of this transfer is not known. Find it in an explorer, and give its hash.',
  network_not_configured: 'The network is not configured. Set its RPC URL and its payee.',
  network_unavailable: 'A node of the network does not answer. Nothing was recorded. Try again later.',
  not_a_hash: 'This is not the hash of a transaction on this network.',
  transaction_not_found: 'No block has this transaction.',
  nodes_disagree: 'The nodes do not agree about this transaction. Try again later.',
  not_final: 'The transaction is not final yet. Try again when it has enough blocks above it.',
  no_payment:
    'The transaction has no such payment: no authorization of a payer that moved USDC to the payee of this network.',
  payer_unknown:
    'More than one wallet paid in this transaction, so nobody can tell whose money it is. It cannot be booked.',
  in_ledger: 'The ledger has this payment already.',
  call_not_found: 'There is no paid call with this id.',
  not_booked:
    'This is a call that was bought. Only a transfer that was booked can be kept. Refund the call instead.',
  not_waiting: 'It does not wait for a decision: it is kept, refunded, or being refunded.',
} as const satisfies Readonly<Record<string, string>>;

export type TransferProblem = keyof typeof messages;

/** A transfer cannot be booked or kept. Nothing was recorded. */
export class TransferError extends Error {
  readonly code: TransferProblem;

  constructor(code: TransferProblem, options?: ErrorOptions) {
    super(messages[code], options);
    this.code = code;
  }
}
