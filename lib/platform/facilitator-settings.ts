import { z } from 'zod';
import { readSigningKey, type SigningKey } from './facilitator-signing-key';
import { url } from './setting-rules';
import { forAllOrByNetwork } from './settings-by-network';

/** What a facilitator asks for: a bearer token (RFC 6750), or an API key that signs a token for each request. */
type FacilitatorKey = { readonly token: string } | { readonly id: string; readonly key: SigningKey };

const facilitatorKey = z.string().transform((text, context): FacilitatorKey => {
  const [, id, secret] = /^([\x21-\x39\x3b-\x7e]+):(.+)$/s.exec(text) ?? [];
  const key = secret === undefined ? null : readSigningKey(secret);
  if (id !== undefined && key) return { id, key };
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(text)) return { token: text };
  context.addIssue(
    'must be a bearer token, or ID:SECRET of an API key with the secret as its platform gives it: base64 of 64 bytes ' +
      '(Ed25519), a P-256 private key in PEM, or payai_sk_ and base64',
  );
  return z.NEVER;
});

export const facilitatorSettings = {
  FACILITATOR_URL: forAllOrByNetwork(url),
  FACILITATOR_KEY: forAllOrByNetwork(facilitatorKey),
};
