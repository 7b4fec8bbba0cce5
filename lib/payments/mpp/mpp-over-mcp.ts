import { Challenge, Credential, Receipt } from 'mppx';
import type { ApiHeaders } from '@/lib/payments/rail';
import { selectedHeader } from './mpp-challenge';

/** Where MPP puts credentials, challenges and receipts in MCP messages (draft-payment-transport-mcp-00). */
export const mppMeta = {
  credential: 'org.paymentauth/credential',
  challenges: 'org.paymentauth/payment-required',
  receipt: 'org.paymentauth/receipt',
} as const;

/**
 * The header that is equivalent to a credential in `_meta`: the one that its challenge selects. Null when it is not a
 * credential.
 */
export function toCredentialHeader(credential: object): Record<string, string> | null {
  try {
    const value = Credential.serialize(credential as Credential.Credential);
    // Serializing accepts almost anything. Deserializing throws when it is not a credential.
    const { challenge } = Credential.deserialize(value);
    return { [(selectedHeader(challenge) ?? 'Authorization').toLowerCase()]: value };
  } catch {
    return null;
  }
}

/** The challenges of a 402 as objects; empty when it has none. */
export function challengesIn(headers: ApiHeaders): Challenge.Challenge[] {
  const header = headers['WWW-Authenticate'];
  return header === undefined ? [] : Challenge.deserializeList(header);
}

/** The receipt in the headers of a response, as an object; null when there is none. */
export function mppReceiptIn(headers: ApiHeaders): object | null {
  const header = headers['Payment-Receipt'];
  return header === undefined ? null : Receipt.deserialize(header);
}
