import { z } from 'zod';
import { decodeBase58, evmAddressOf, hasValidChecksum, solanaPublicKeyOf } from './key-addresses';

const example = 'must be a URL such as postgresql://user:password@localhost:5432/database';

const encode =
  'has a character in its user or password that ends a part of a URL. Write %2F for /, %23 for #, %3F for ?, %40 for @ and ' +
  '%25 for %';

/**
 * What is wrong with the address of a PostgreSQL database, as a sentence without its subject; null if nothing is. A password
 * with `/`, `#` or `?` splits the URL in another place, so that other parts of it become the host and the database.
 */
function databaseUrlProblem(value: string): string | null {
  if (!/^postgres(ql)?:\/\//i.test(value)) return example;
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^\w+:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(value) ?? [];
  const hasUser = authority.includes('@');
  if (`${path}${fragment}`.includes('@') || (!hasUser && query.includes('@'))) return encode;
  const url = parse(value);
  if (!url) return hasUser ? encode : example;
  if (fragment !== '') return encode;
  try {
    decodeURIComponent(`${url.username}${url.password}`);
    return null;
  } catch {
    return encode;
  }
}

/** As the driver parses it: it encodes a lone %, and lets the host be absent where a parameter names a socket. */
function parse(value: string): URL | null {
  const hasLonePercent = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(value);
  const encoded = hasLonePercent ? encodeURI(value).replaceAll(/%25(\d\d)/g, '%$1') : value;
  const withHost = URL.canParse(encoded) ? encoded : encoded.replace('@/', '@localhost/');
  return URL.canParse(withHost) ? new URL(withHost) : null;
}

/** The rules of single settings. Each message continues a sentence that begins with the name of the setting. */

/** A rule in words. A setting that is not set breaks no rule but that it is required. */
const rule = (text: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? undefined : text),
});

/** Several values, separated by commas. */
export const listOf = <Value extends z.ZodType<unknown, string>>(value: Value) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(value).min(1));

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, rule(`must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`));

export const url = z
  .url({ protocol: /^https?$/, ...rule('must be an http or https URL such as https://api.example.com') })
  .transform((value) => value.replace(/\/+$/, ''));

/** Besides its HTTP addresses, an EVM network may have a WebSocket address that reports new blocks. */
export const evmUrls = listOf(
  z.url({ protocol: /^(https?|wss?)$/, ...rule('must be an https or wss URL') }),
).refine((values) => values.some((value) => value.startsWith('http')), 'must have an http or https address');

export const databaseUrl = z.string().superRefine((value, context) => {
  const message = databaseUrlProblem(value);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** A number as people write it. */
const number = (text: string, pattern: RegExp, least: number, most: number) =>
  z
    .string()
    .trim()
    .refine((value) => pattern.test(value), text)
    .transform(Number)
    .refine((value) => value >= least && value <= most, text);

export const wholeNumber = (least: number, most: number) =>
  number(`must be a whole number from ${least} to ${most}`, /^\d+$/, least, most);

export const decimalNumber = (least: number, most: number) =>
  number(`must be a number from ${least} to ${most}`, /^(\d+\.?\d*|\.\d+)$/, least, most);

export const yesOrNo = z.stringbool(rule('must be true or false'));

/** An amount of USDC, with up to six decimal places. */
export const usdcAmount = (example: string, least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,4}(\.\d{1,6})?$/, `must be an amount such as ${example}`)
    .refine((value) => Number(value) >= least, `must be at least ${least}`)
    .refine((value) => Number(value) <= most, `must be at most ${most}`);

/**
 * An address with letters of both cases carries a checksum (EIP-55). One that fails it was mistyped, and nobody has the key of
 * the address that it names.
 */
export const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'must be 0x and 40 hex characters', abort: true })
  .refine((value) => !/^0x0{40}$/.test(value), 'must not be the zero address, whose money nobody can move')
  .refine(
    hasValidChecksum,
    'has a letter in the wrong case or a wrong character, so its checksum (EIP-55) fails. Copy the address again',
  );

/** A private key of an EVM network. */
export const evmKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'must be 0x and 64 hex characters', abort: true })
  .refine((value) => evmAddressOf(value) !== null, 'must be a private key, and this number is none');

export const solanaAddress = z
  .string()
  .refine((value) => decodeBase58(value)?.length === 32, 'must be a Solana address, base58 of 32 bytes');

export const solanaKey = z
  .string()
  .refine((value) => decodeBase58(value)?.length === 64, {
    error: 'must be base58 of 64 bytes, a secret key and its public key',
    abort: true,
  })
  .refine(
    (value) => solanaPublicKeyOf(value) !== null,
    'must be a secret key and its public key, and these two do not belong together',
  );

export const dataKey = z
  .string()
  .refine((value) => Buffer.from(value, 'base64').length === 32, 'must be base64 of 32 bytes');

/** Sent in a header unchanged. */
export const apiKey = z.string().regex(/^[\x21-\x7e]+$/, 'must be visible ASCII');

/** A text that nobody should be able to guess. */
export const secret = (least: number) => z.string().min(least, `must have at least ${least} characters`);
