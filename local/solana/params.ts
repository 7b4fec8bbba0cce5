import { isAddress } from '@solana/kit';
import { invalidParams } from './rpc-error';
import type { Commitment } from './slot-clock';

export type Config = Record<string, unknown>;

/** The configuration object of a call: its last parameter, optional. */
export function readConfig(value: unknown): Config {
  return typeof value === 'object' && value !== null ? (value as Config) : {};
}

/** The commitment of a call; the interface's default is `finalized`. */
export function readCommitment(value: unknown): Commitment {
  if (value === 'processed' || value === 'confirmed') return value;
  if (value === undefined || value === null || value === 'finalized') return 'finalized';
  throw invalidParams(
    `Invalid params: unknown variant \`${String(value)}\`, expected one of \`processed\`, \`confirmed\`, \`finalized\``,
  );
}

/** An address in base58. Throws invalid params, as do all functions here. */
export function readAddress(value: unknown): string {
  if (typeof value === 'string' && isAddress(value)) return value;
  throw invalidParams('Invalid param: Invalid');
}

/** A list of strings, of any length. */
export function readStrings(value: unknown): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalidParams('Invalid params: expected an array of strings.');
}

/** A whole number of at least 0; `fallback` if it is left out. */
export function readNumber(value: unknown, fallback?: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  if (value === undefined && fallback !== undefined) return fallback;
  throw invalidParams('Invalid params: expected a whole number.');
}

export type TokenAccountState = 'initialized' | 'frozen' | 'closed';

export function readTokenAccountState(value: unknown): TokenAccountState {
  if (value === 'initialized' || value === 'frozen' || value === 'closed') return value;
  throw invalidParams('Invalid params: expected initialized, frozen or closed.');
}

/** An amount of tokens, as a number or as decimal digits. */
export function readAmount(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  throw invalidParams('Invalid params: expected an amount in atomic units.');
}

/** Bytes in base64. */
export function readBytes(value: unknown): Uint8Array {
  if (typeof value === 'string') return Uint8Array.from(Buffer.from(value, 'base64'));
  throw invalidParams('Invalid params: expected base64.');
}
