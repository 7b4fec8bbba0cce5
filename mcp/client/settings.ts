import { createHash } from 'node:crypto';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Adapter } from '../adapter';
import { accountPayer, type Payer } from '../calls/payer';
import { walletPayer } from '../wallet/payer';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads from the environment who pays. Empty variables count as not set.
 * @returns undefined for the account of this machine
 * @throws Error that names the variable and its rule, and never repeats a secret
 */
export function readPayer(
  env: Environment,
  adapter: Pick<Adapter, 'settings' | 'stateFile' | 'now'>,
): Payer | undefined {
  const key = env.TUPPENCE_WALLET_KEY?.trim();
  const token = env.TUPPENCE_ACCOUNT_TOKEN?.trim();
  if (key && token) throw new Error('Set only one of TUPPENCE_WALLET_KEY and TUPPENCE_ACCOUNT_TOKEN.');
  const network = readNetwork(env.TUPPENCE_NETWORK?.trim() || undefined);
  if (key) return walletPayer({ adapter, account: readKey(key), network });
  if (token)
    return accountPayer(adapter.settings.apiUrl, { accountId: idOf(token), token: checkToken(token) });
  return undefined;
}

function readKey(key: string): PrivateKeyAccount {
  try {
    const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key) ?? [];
    return privateKeyToAccount(`0x${digits}`);
  } catch {
    // The library's error may repeat the key.
    throw new Error('TUPPENCE_WALLET_KEY must be a private key of 64 hex characters.');
  }
}

function checkToken(token: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(token)) return token;
  throw new Error('TUPPENCE_ACCOUNT_TOKEN must be the token of a prepaid account (tpt_…).');
}

/** Distinguishes accounts in the state file without storing their tokens. */
const idOf = (token: string): string =>
  `token-${createHash('sha256').update(token).digest('hex').slice(0, 32)}`;

function readNetwork(network: string | undefined): `eip155:${string}` | undefined {
  if (network === undefined) return undefined;
  if (isEvm(network)) return network;
  throw new Error('TUPPENCE_NETWORK must be an EVM network such as eip155:8453.');
}

const isEvm = (network: string): network is `eip155:${string}` => /^eip155:[1-9]\d{0,15}$/.test(network);
