import { type Hex, toEventSelector, toFunctionSelector } from 'viem';
import { keccak256 } from '@/lib/payments/evm/keccak';

/** The names of the token's functions, types and events as they stand in calls, digests and logs. */

const selector = (signature: string) => toFunctionSelector(`function ${signature}`);
const authorization = 'address,address,uint256,uint256,uint256,bytes32';
export const selectors = {
  transferParts: selector(`transferWithAuthorization(${authorization},uint8,bytes32,bytes32)`),
  transferBytes: selector(`transferWithAuthorization(${authorization},bytes)`),
  receiveParts: selector(`receiveWithAuthorization(${authorization},uint8,bytes32,bytes32)`),
  receiveBytes: selector(`receiveWithAuthorization(${authorization},bytes)`),
  cancelParts: selector('cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)'),
  cancelBytes: selector('cancelAuthorization(address,bytes32,bytes)'),
  authorizationState: selector('authorizationState(address,bytes32)'),
  balanceOf: selector('balanceOf(address)'),
  transfer: selector('transfer(address,uint256)'),
  domainSeparator: selector('DOMAIN_SEPARATOR()'),
  paused: selector('paused()'),
  isBlacklisted: selector('isBlacklisted(address)'),
  pause: selector('pause()'),
  unpause: selector('unpause()'),
  blacklist: selector('blacklist(address)'),
  unBlacklist: selector('unBlacklist(address)'),
};

const typeHash = (type: string) => keccak256(Buffer.from(type)).toString('hex');
const authorizationFields =
  'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';
export const typeHashes = {
  transfer: typeHash(`TransferWithAuthorization(${authorizationFields})`),
  receive: typeHash(`ReceiveWithAuthorization(${authorizationFields})`),
  cancel: typeHash('CancelAuthorization(address authorizer,bytes32 nonce)'),
};

const event = (signature: string) => toEventSelector(`event ${signature}`);
export const topics = {
  transfer: event('Transfer(address,address,uint256)'),
  used: event('AuthorizationUsed(address,bytes32)'),
  canceled: event('AuthorizationCanceled(address,bytes32)'),
};

/** Circle's roles, all held by this address on local chains. */
export const usdcOwner: Hex = '0x00000000000000000000000000000000c12c1e00';
