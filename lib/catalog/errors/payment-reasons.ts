import { channelReasons } from './channel-reasons';
import type { NextStep } from './codes/description';

/** Why a payment was refused, for the payer. */
interface PaymentReason {
  /** What is wrong and what to do. `{wallet}`, `{price}` and `{network}` stand for those of the payment. */
  readonly message: string;
  /** What to do next. Paying again does not help a wallet that holds too little, or whose payments are of the wrong kind. */
  readonly retry: Extract<NextStep, 'pay' | 'fix_input' | 'later' | 'stop'>;
}

const again = 'Request a new 402 and sign that.';
const pay = (message: string): PaymentReason => ({ message, retry: 'pay' });
const stop = (message: string): PaymentReason => ({ message, retry: 'stop' });

const fundWallet = stop(
  'The wallet {wallet} holds less than {price} USDC on {network}. Send USDC to it on this network, then send the same request again.',
);
const wrongOffer = pay(
  `The offer in \`accepted\` is not one of this 402 for this call: its network, amount, asset, payTo, maxTimeoutSeconds and extra must be those of one entry of \`accepts\`. ${again}`,
);
const unreadable = (what: string) => pay(`${what} ${again}`);

/** Solana: the official scheme allows a fixed layout of instructions. */
const wrongLayout = pay(
  'The transaction has instructions other than the official client writes: compute limit, compute price, one token transfer, and memos. Sign with the official client.',
);

/** Solana: what the program of a smart wallet may do. */
const wrongWalletTransfer = pay(
  'The program of the smart wallet {wallet} does not make one transfer of exactly the price, {price} USDC, to the associated token account of `payTo`. Check the wallet, then sign a new payment.',
);
const wrongWalletBudget = pay(
  'A transaction of a smart wallet sets a compute unit limit of at most 400,000, and may set a price of at most 50,000 micro-lamports a unit. It has no other compute budget instructions.',
);

/**
 * Every reason for which this service refuses a payment with 402, by the code in `error` (x402) or `reason` (MPP, accounts).
 * Nothing was charged in any of them. Remote servers that settle may send others; `reasonOf` has words for those too.
 */
export const paymentReasons = {
  // The envelope.
  invalid_payload: unreadable(
    'The payment is not base64 of an x402 version 2 PaymentPayload with an EIP-3009 authorization (EVM) or a transaction (Solana).',
  ),
  ambiguous_payment: pay('PAYMENT-SIGNATURE and X-PAYMENT hold different payments. Send one of them.'),
  payment_too_large: pay('The payment header is longer than 16 KB.'),
  unsupported_scheme: pay(
    'This call is paid with a scheme of the 402, such as exact. Sign one of its offers.',
  ),
  invalid_network: pay(
    'This service does not take payments on the network in `accepted`. Sign an offer of this 402, whose networks are in `accepts`.',
  ),
  invalid_payment_requirements: wrongOffer,
  // EIP-3009 authorizations.
  invalid_exact_evm_insufficient_balance: fundWallet,
  invalid_exact_evm_recipient_mismatch: pay(
    'The authorization pays another address than `payTo` of the 402. Sign one that pays `payTo`.',
  ),
  invalid_exact_evm_payload_authorization_value_mismatch: pay(
    'The authorization is not for exactly the price, {price} USDC. Sign one for `amount` of the 402.',
  ),
  invalid_exact_evm_payload_authorization_valid_before: pay(
    'The authorization has expired. Sign a new one. If it is new, the clock of your device is behind: compare it with the Date header of this response.',
  ),
  invalid_exact_evm_payload_authorization_valid_before_too_soon: pay(
    'The authorization expires in less than 30 seconds, which is too short to settle it. Sign one that is valid for 300 seconds (`maxTimeoutSeconds`). If you did, the clock of your device is behind: compare it with the Date header of this response.',
  ),
  invalid_exact_evm_payload_authorization_valid_before_too_late: pay(
    'The authorization is valid for too long: at most 300 seconds (`maxTimeoutSeconds`), and 60 more for clocks that differ. Sign a shorter one. If it is valid for 300 seconds, the clock of your device is more than a minute ahead: compare it with the Date header of this response.',
  ),
  invalid_exact_evm_payload_authorization_valid_after: pay(
    'The authorization is not valid yet. Sign one whose validAfter is in the past. If it is, the clock of your device is ahead: compare it with the Date header of this response.',
  ),
  invalid_exact_evm_signature: pay(
    'The signature is not that of the wallet in `authorization.from` over this authorization. Sign the name, version and chain in `extra` and `network` of the 402. A contract wallet must sign in the form that its code expects, and pays over x402 only.',
  ),
  signature_too_long: stop('A signature has at most 2,048 bytes, or 3,072 with its ERC-6492 wrapper.'),
  invalid_exact_evm_payload_undeployed_smart_wallet: stop(
    'There is no wallet at {wallet} on {network} yet. Deploy it first: send any transaction from it, then pay again.',
  ),
  invalid_exact_evm_nonce_already_used: pay('The authorization was used or canceled before. Sign a new one.'),
  payer_blocked: stop(
    'USDC has blocked the wallet {wallet} on {network}: it is on the block list of the token, or its token account is frozen. Pay from another wallet.',
  ),
  token_paused: {
    message: 'USDC is paused on {network}. Try again later, or pay on another network.',
    retry: 'later',
  },
  authorization_canceled: pay('The authorization was canceled before it was submitted. Sign a new one.'),
  authorization_expired_unused: pay('The authorization expired before it was submitted. Sign a new one.'),
  authorization_used_elsewhere: pay(
    'The nonce was used for another authorization, which did not pay for this call. Sign a new one.',
  ),
  invalid_exact_evm_transaction_simulation_failed: pay(
    'The token contract rejects the transfer, or the wallet is a contract whose code does. Check the wallet, then sign a new payment.',
  ),
  invalid_exact_evm_transaction_failed: pay(
    'The transfer passed every check and then failed on the chain, for example because the USDC was spent meanwhile. Send the same request with the same Idempotency-Key.',
  ),
  // Solana transactions.
  invalid_exact_svm_payload_transaction_could_not_be_decoded: unreadable(
    'The transaction is not base64 of a Solana transaction with exactly one token transfer, signed by its owner, or with the call of a smart wallet that names its accounts without lookup tables.',
  ),
  invalid_exact_svm_payload_transaction: unreadable('The transaction cannot be read.'),
  invalid_exact_svm_fee_payer_mismatch: pay(
    'The fee payer must be `extra.feePayer` of the 402. Sign with it.',
  ),
  invalid_exact_svm_payload_mint_mismatch: pay(
    'The transfer is in another token than USDC (`asset` of the 402).',
  ),
  invalid_exact_svm_payload_source_mismatch: pay(
    "The USDC must come from the signer's own associated token account. Payments signed by a delegate are refused.",
  ),
  invalid_exact_svm_payload_recipient_mismatch: pay(
    'The transfer does not go to the associated token account of `payTo` of the 402.',
  ),
  invalid_exact_svm_payload_amount_mismatch: pay(
    'The transfer is not for exactly the price, {price} USDC. Sign one for `amount` of the 402.',
  ),
  invalid_exact_svm_payload_transaction_fee_payer_in_instruction: pay(
    'An instruction of the transaction names the fee payer, which may only pay the fee. Sign with the official client.',
  ),
  invalid_exact_svm_payload_transaction_fee_payer_transferring_funds: pay(
    'The fee payer may not be the wallet that pays. Sign with the wallet that holds the USDC.',
  ),
  invalid_exact_svm_payload_no_transfer_instruction: wrongLayout,
  invalid_exact_svm_payload_transaction_instructions_length: wrongLayout,
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction: wrongLayout,
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high: wrongLayout,
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction: wrongLayout,
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high: wrongLayout,
  invalid_exact_svm_payload_unknown_optional_instruction: wrongLayout,
  invalid_exact_svm_payload_unknown_fourth_instruction: wrongLayout,
  invalid_exact_svm_payload_unknown_fifth_instruction: wrongLayout,
  invalid_exact_svm_payload_unknown_sixth_instruction: wrongLayout,
  invalid_exact_svm_payload_unknown_seventh_instruction: wrongLayout,
  invalid_exact_svm_payload_excessive_signers: pay(
    'Only the payer and the fee payer may sign the transaction.',
  ),
  invalid_exact_svm_payload_signature_invalid: pay(
    'The signature of the payer is not valid for this transaction. Sign it again.',
  ),
  invalid_exact_svm_transaction_simulation_failed_insufficient_balance: fundWallet,
  insufficient_funds: fundWallet,
  invalid_exact_svm_transaction_simulation_failed: pay(
    'The network rejects the transaction: most often its block hash has expired. Sign a new payment and send it within a minute.',
  ),
  invalid_exact_svm_transaction_failed: pay(
    'The transaction passed every check and then failed on the chain. Sign a new payment.',
  ),
  invalid_exact_svm_smart_wallet_program_not_allowed: stop(
    'The transaction calls a program that may not pay here. The service takes payments of the smart wallets that its documentation names, where it settles them itself. Pay from another wallet.',
  ),
  invalid_exact_svm_smart_wallet_no_transfer_in_simulation: wrongWalletTransfer,
  invalid_exact_svm_smart_wallet_transfer_mismatch: wrongWalletTransfer,
  invalid_exact_svm_smart_wallet_multiple_matching_transfers: wrongWalletTransfer,
  invalid_exact_svm_smart_wallet_compute_units_too_high: wrongWalletBudget,
  invalid_exact_svm_smart_wallet_priority_fee_too_high: wrongWalletBudget,
  invalid_exact_svm_smart_wallet_malformed_compute_budget: wrongWalletBudget,
  invalid_exact_svm_smart_wallet_malformed_compute_limit: wrongWalletBudget,
  invalid_exact_svm_smart_wallet_malformed_compute_price: wrongWalletBudget,
  invalid_exact_svm_smart_wallet_unsupported_compute_budget_instruction: wrongWalletBudget,
  transaction_expired_unused: pay('The transaction expired before a block included it. Sign a new payment.'),
  invalid_exact_svm_verification_failed: pay(
    'The transaction was not accepted. Sign with the official client.',
  ),
  ...channelReasons,
  // MPP credentials.
  several_credentials: { message: 'Send exactly one credential.', retry: 'fix_input' },
  malformed_credential: unreadable('The credential cannot be read.'),
  wrong_credential_header: pay(
    'The challenge says in `header` which header takes its credential: Payment-Authorization, or Authorization if it says nothing. Send it there.',
  ),
  method_unsupported: pay('Use method evm with intent charge; no other is supported.'),
  credential_type_unsupported: pay('Use a credential of type authorization; no other is supported.'),
  challenge_not_ours: pay('The ID does not belong to this challenge. Request a new challenge.'),
  challenge_for_another_operation: pay(
    'The challenge is for another operation or another price. Request a new challenge.',
  ),
  challenge_expired: pay('The challenge has expired. Request a new challenge.'),
  nonce_not_bound: pay('The nonce is not the hash of the challenge.'),
  source_mismatch: pay('The source is not the wallet that signed.'),
  body_digest_mismatch: pay(
    'The body differs from the one the challenge was issued for. Request a new challenge.',
  ),
} as const satisfies Readonly<Record<string, PaymentReason>>;

const unknownReason = pay('The payment was not accepted. Sign a new one for this 402.');

/** The entry of a reason code. */
export function reasonOf(code: string): PaymentReason {
  const known: Readonly<Record<string, PaymentReason>> = paymentReasons;
  return known[code] ?? unknownReason;
}

/** What is known about a refused payment. */
interface PaymentFacts {
  readonly wallet?: string | undefined;
  /** USDC, decimal. */
  readonly price?: string | undefined;
  /** Its name for people, such as Base. */
  readonly network?: string | undefined;
}

/** The message of a reason with the facts filled in, and words for those that are not known. */
export function messageOf({ message }: PaymentReason, { wallet, price, network }: PaymentFacts = {}): string {
  return message
    .replace('The wallet {wallet}', wallet === undefined ? 'The wallet' : `The wallet ${wallet}`)
    .replace('the wallet {wallet}', wallet === undefined ? 'the wallet' : `the wallet ${wallet}`)
    .replace('{wallet}', wallet ?? "the payer's address")
    .replace(
      'less than {price} USDC',
      price === undefined ? 'less than the price' : `less than ${price} USDC`,
    )
    .replace('the price, {price} USDC', price === undefined ? 'the price' : `the price, ${price} USDC`)
    .replaceAll('{network}', network ?? 'the network that it pays on');
}
