import { eip3009ABI } from '@x402/evm';
import { decodeErrorResult, type Hex, parseAbi, toFunctionSelector } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import { payerBlocked } from '@/lib/payments/outcome';
import { authorizationWords, uintWord } from './authorization-words';

/** The token's events (EIP-3009, EIP-20) and queries. */
export const tokenAbi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
]);

/** The overload with (v, r, s), which every version of the token has, and the one with bytes, which 2.2 has. */
const [transferWithSignatureParts, transferWithSignatureBytes] = eip3009ABI;

const partsSelector = toFunctionSelector(transferWithSignatureParts);
const bytesSelector = toFunctionSelector(transferWithSignatureBytes);
/** Where the signature begins in the arguments of the overload with bytes: after seven words. */
const signatureOffset = uintWord(7n * 32n);

const encoded = new WeakMap<EvmSigned, Hex>();

/**
 * Calldata of transferWithAuthorization: the signature of a key in parts, any other as bytes. Cached, because each
 * payment is both simulated and sent. A payment that calls another contract brings its own call.
 */
export function encodeTransfer(signed: EvmSigned): Hex {
  if (signed.call) return signed.call.data;
  const known = encoded.get(signed);
  if (known) return known;
  const data = signed.signer === 'key' ? encodeWithParts(signed) : encodeWithBytes(signed);
  encoded.set(signed, data);
  return data;
}

function encodeWithParts({ authorization, signature }: EvmSigned): Hex {
  // Every argument is one word, and the signature ends with v, which is one byte.
  const v = signature.slice(130);
  return `${partsSelector}${authorizationWords(authorization)}${uintWord(BigInt(`0x${v}`))}${signature.slice(2, 130)}`;
}

function encodeWithBytes({ authorization, signature }: EvmSigned): Hex {
  const digits = signature.slice(2);
  const padded = digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
  const length = uintWord(BigInt(digits.length / 2));
  return `${bytesSelector}${authorizationWords(authorization)}${signatureOffset}${length}${padded}`;
}

/** x402's reason code for a wallet that holds less than it authorizes. */
export const insufficientBalance = 'invalid_exact_evm_insufficient_balance';

/** x402's reason code for a signature that is not the payer's. */
export const invalidSignature = 'invalid_exact_evm_signature';

/** x402's reason code for a contract wallet that is not deployed on the network. */
export const undeployedWallet = 'invalid_exact_evm_payload_undeployed_smart_wallet';

/** x402's reason code for a transfer that passed the simulation and failed in a block. */
export const transactionFailed = 'invalid_exact_evm_transaction_failed';

/** The reason code while the token is paused. Like a blocked payee, that concerns every payer. */
export const tokenPaused = 'token_paused';

/** Circle's revert texts (FiatTokenV2, Pausable, Blacklistable, ERC20) and reason codes for them, x402's where it has one. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/authorization is used or canceled/, 'invalid_exact_evm_nonce_already_used'],
  [/transfer amount exceeds balance/, insufficientBalance],
  [/authorization is expired/, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/authorization is not yet valid/, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/invalid signature/, invalidSignature],
  [/^Pausable: paused/, tokenPaused],
  [/account is (blacklisted|blocklisted)/, payerBlocked],
];

/** x402's reason code for the token's revert text. */
export function refusalReason(returnData: Hex): string {
  const text = revertText(returnData);
  const known = reasons.find(([pattern]) => pattern.test(text));
  return known ? known[1] : 'invalid_exact_evm_transaction_simulation_failed';
}

/** The text with which a call reverted; empty for a custom error, and without one. */
export function revertText(returnData: Hex): string {
  try {
    const { args } = decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: returnData });
    return args[0];
  } catch {
    return '';
  }
}
