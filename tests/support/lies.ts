import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import type { Hex, TypedDataDomain } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { network, type TestNetwork } from './stack';

/** The authorization in the official client's envelope on an EVM network. */
export interface Authorization {
  from: Hex;
  to: Hex;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: Hex;
}

export function authorizationOf(envelope: PaymentPayload): Authorization {
  return envelope.payload.authorization as Authorization;
}

export function signatureOf(envelope: PaymentPayload): Hex {
  return envelope.payload.signature as Hex;
}

/** The EIP-712 domain of the token that an envelope is meant for. */
export function domainOf(on: TestNetwork['name']): TypedDataDomain {
  const { caip2, usdc } = network(on);
  return {
    name: 'USD Coin',
    version: '2',
    chainId: Number(caip2.split(':')[1]),
    verifyingContract: usdc as Hex,
  };
}

/** The same envelope with another authorization or domain, with a valid signature by `account`. */
export async function resign(
  envelope: PaymentPayload,
  account: PrivateKeyAccount,
  on: TestNetwork['name'],
  changes: { authorization?: Partial<Authorization>; domain?: TypedDataDomain } = {},
): Promise<PaymentPayload> {
  const authorization = { ...authorizationOf(envelope), ...changes.authorization };
  const signature = await account.signTypedData({
    domain: { ...domainOf(on), ...changes.domain },
    types: { TransferWithAuthorization: [...authorizationTypes.TransferWithAuthorization] },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  });
  return { ...envelope, payload: { authorization, signature } };
}

/** The same envelope with other fields in its payload and its original signature. */
export function withPayload(envelope: PaymentPayload, payload: Record<string, unknown>): PaymentPayload {
  return { ...envelope, payload: { ...envelope.payload, ...payload } };
}

/** The same envelope with other fields in `accepted`. */
export function withAccepted(envelope: PaymentPayload, accepted: Record<string, unknown>): PaymentPayload {
  return { ...envelope, accepted: { ...envelope.accepted, ...accepted } as PaymentPayload['accepted'] };
}
