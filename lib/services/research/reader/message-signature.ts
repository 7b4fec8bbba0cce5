import { type KeyObject, sign } from 'node:crypto';

/** A covered component of a message (RFC 9421, section 2): its identifier with parameters, and its value. */
type Component = readonly [identifier: string, value: string];

/** Signature parameters in their order (RFC 9421, section 2.3). */
type Parameters = Readonly<Record<string, string | number>>;

/** The member of `Signature-Input`, and that of `Signature`, without their label. */
export interface MessageSignature {
  readonly input: string;
  readonly signature: string;
}

/** Signs components of an HTTP message with Ed25519 (RFC 9421, sections 2.5 and 3.3.6). */
export function signMessage(
  key: KeyObject,
  components: readonly Component[],
  parameters: Parameters,
): MessageSignature {
  const identifiers = components.map(([identifier]) => identifier).join(' ');
  const written = Object.entries(parameters).map(([name, value]) => `;${name}=${JSON.stringify(value)}`);
  const input = `(${identifiers})${written.join('')}`;
  const base = [...components, ['"@signature-params"', input]].map(([name, value]) => `${name}: ${value}`);
  return { input, signature: `:${sign(null, Buffer.from(base.join('\n')), key).toString('base64')}:` };
}
