import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { takeRandomBytes } from '@/lib/platform/ids';
import { parseJson } from '@/lib/platform/json';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';

/**
 * The message that a wallet signs to prove that it makes a request: x402's `sign-in-with-x` extension, which writes it as
 * EIP-4361 or its Solana counterpart. It is valid for one URL, for five minutes and once (docs/decisions/wallet-lists.md).
 */

/** The key of the extension, and the header with the signed message. */
export const signInKey = 'sign-in-with-x';

/** A message as we issue it, for any wallet. The wallet adds its address and chain. */
export interface SignInInfo {
  readonly domain: string;
  readonly uri: string;
  readonly version: '1';
  readonly statement: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly resources?: string[];
}

/** What a message is signed for. */
export interface SignInTerms {
  /** The requested URL. */
  readonly uri: string;
  /** What the wallet shows its owner. */
  readonly statement: string;
  readonly resources: readonly string[];
}

/** To list what a wallet has bought. */
export function listTerms(uri: string): SignInTerms {
  const statement = `Show what this wallet has bought from ${about.name}. This is free and moves no money.`;
  return { uri, statement, resources: [uri] };
}

/** To request a refund of a call. */
export function refundTerms(uri: string): SignInTerms {
  const statement = `Request a refund from ${about.name}. This moves no money.`;
  return { uri, statement, resources: [uri] };
}

/** To get what a wallet has paid for, again. Without resources, because it is part of every 402. */
export function boughtTerms(uri: string): SignInTerms {
  const statement = `Get what this wallet has paid ${about.name} for. This moves no money.`;
  return { uri, statement, resources: [] };
}

const validMs = 300_000;
/** Clients and our other processes each compare `issuedAt` with their own clock. */
const clockSkewMs = 5_000;
/** This long after a message has expired, no process accepts it anymore, even if its clock is slow. */
export const graceMs = 60_000;

/** Issues a message. */
export function issueSignIn(
  app: Pick<Platform, 'settings' | 'clock' | 'keys'>,
  { uri, statement, resources }: SignInTerms,
): SignInInfo {
  const { host: domain } = new URL(app.settings.PUBLIC_URL);
  return {
    ...{ domain, uri, version: '1', statement, ...issueNonce(app, domain, uri) },
    ...(resources.length > 0 ? { resources: [...resources] } : {}),
  };
}

/**
 * What differs from message to message. Nothing is stored: the nonce contains a MAC over the domain, the URL and the times. It is
 * part of every 402, so the messages of one second for one URL share their MAC; their nonces differ in random bytes.
 */
export function issueNonce(
  app: Pick<Platform, 'clock' | 'keys'>,
  domain: string,
  uri: string,
): Pick<SignInInfo, 'nonce' | 'issuedAt' | 'expirationTime'> {
  const second = Math.floor(app.clock.now() / 1_000);
  const [key] = app.keys.derive('sign-in');
  if (kept.second !== second || kept.key !== key || kept.macs.size > keptMax) {
    const at = (ms: number) => new Date(second * 1_000 + ms).toISOString();
    kept = { second, key, issuedAt: at(-clockSkewMs), expirationTime: at(validMs), macs: new Map() };
  }
  const { issuedAt, expirationTime, macs } = kept;
  const name = `${domain} ${uri}`;
  let mac = macs.get(name);
  if (mac === undefined) {
    mac = macOf(key, { domain, uri, issuedAt, expirationTime }).toString('hex');
    macs.set(name, mac);
  }
  return { nonce: takeRandomBytes(randomLength).toString('hex') + mac, issuedAt, expirationTime };
}

/** The MACs of one second, by domain and URL. */
interface KeptMacs {
  readonly second: number;
  readonly key: Buffer | null;
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly macs: Map<string, string>;
}

const keptMax = 1_000;
let kept: KeptMacs = { second: 0, key: null, issuedAt: '', expirationTime: '', macs: new Map() };

type Bound = Pick<SignInInfo, 'domain' | 'uri' | 'issuedAt' | 'expirationTime'>;

const randomLength = 8;
const macLength = 8;

function macOf(key: Buffer, { domain, uri, issuedAt, expirationTime }: Bound): Buffer {
  const text = JSON.stringify([domain, uri, issuedAt, expirationTime]);
  return createHmac('sha256', key).update(text).digest().subarray(0, macLength);
}

function isOurNonce(app: Pick<Platform, 'keys'>, nonce: string, bound: Bound): boolean {
  if (!/^[0-9a-f]{32}$/.test(nonce)) return false;
  const bytes = Buffer.from(nonce, 'hex');
  const given = bytes.subarray(randomLength);
  return app.keys.derive('sign-in').some((key) => isSameSecret(given, macOf(key, bound)));
}

/** Signatures of contract wallets may be several kilobytes long. */
const headerBytesMax = 16 * 1024;

/** One line of the signed text, so that no field can pretend to be another. */
const line = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u);

const signedSchema = z.object({
  domain: line(300),
  address: line(64),
  statement: line(500).optional(),
  uri: line(2_000),
  version: line(8),
  chainId: line(64),
  type: z.enum(['eip191', 'ed25519']),
  nonce: line(64),
  issuedAt: line(40),
  expirationTime: line(40).optional(),
  notBefore: line(40).optional(),
  requestId: line(200).optional(),
  resources: z.array(line(2_000)).max(10).optional(),
  signature: line(9_000),
});

/** A signed message. Only its shape is known to be right. */
export type SignedIn = z.output<typeof signedSchema>;

/** Reads the header with a signed message; null when it is malformed. */
export function readSignIn(header: string): SignedIn | null {
  if (header.length > headerBytesMax || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return null;
  return signedSchema.safeParse(parseJson(Buffer.from(header, 'base64').toString())).data ?? null;
}

/** Why a sign-in is refused: the codes of the official package, and six more of ours. */
export type SignInRefusal =
  | 'invalid_siwx_header'
  | 'invalid_siwx_domain_mismatch'
  | 'invalid_siwx_uri_mismatch'
  | 'invalid_siwx_statement'
  | 'invalid_siwx_resources'
  | 'invalid_siwx_request_id'
  | 'invalid_siwx_version'
  | 'invalid_siwx_unsupported_chain'
  | 'invalid_siwx_issued_at'
  | 'invalid_siwx_issued_at_in_future'
  | 'invalid_siwx_expiration_time'
  | 'invalid_siwx_expired'
  | 'invalid_siwx_not_yet_valid'
  | 'invalid_siwx_nonce'
  | 'invalid_siwx_nonce_used'
  | 'invalid_siwx_malformed_signature'
  | 'invalid_siwx_signature';

/**
 * Checks everything about a message except its chain and its signature. The official package would accept it at any path of
 * this host, and with anyone's nonce.
 * @returns why it is refused, or null
 */
export function messageRefusal(
  app: Pick<Platform, 'settings' | 'clock' | 'keys'>,
  signed: SignedIn,
  { uri, statement, resources: named }: SignInTerms,
): SignInRefusal | null {
  const { domain, version, nonce, issuedAt, expirationTime, notBefore, resources = [] } = signed;
  const now = app.clock.now();
  if (domain !== new URL(app.settings.PUBLIC_URL).host) return 'invalid_siwx_domain_mismatch';
  if (signed.uri !== uri) return 'invalid_siwx_uri_mismatch';
  // Another page could take our nonce and have a wallet show words of its own.
  if (signed.statement !== statement) return 'invalid_siwx_statement';
  if (JSON.stringify(resources) !== JSON.stringify(named)) return 'invalid_siwx_resources';
  if (signed.requestId !== undefined) return 'invalid_siwx_request_id';
  if (version !== '1') return 'invalid_siwx_version';
  const issuedMs = Date.parse(issuedAt);
  if (Number.isNaN(issuedMs)) return 'invalid_siwx_issued_at';
  if (issuedMs > now + clockSkewMs) return 'invalid_siwx_issued_at_in_future';
  const expiresMs = Date.parse(expirationTime ?? '');
  if (expirationTime === undefined || Number.isNaN(expiresMs)) return 'invalid_siwx_expiration_time';
  if (expiresMs <= now) return 'invalid_siwx_expired';
  // We set none. A value that is not a time counts as never reached.
  if (notBefore !== undefined && !(Date.parse(notBefore) <= now)) return 'invalid_siwx_not_yet_valid';
  return isOurNonce(app, nonce, { domain, uri, issuedAt, expirationTime }) ? null : 'invalid_siwx_nonce';
}
