import { decodeBase58, evmAddressOf, solanaPublicKeyOf } from './key-addresses';
import { usdcContracts } from './usdc-contracts';

interface KeySettings {
  readonly PAY_TO_EVM?: string | undefined;
  readonly PAY_TO_SOLANA?: string | undefined;
  readonly REFUNDS_FROM_EVM?: readonly string[] | undefined;
  readonly REFUNDS_FROM_SOLANA?: readonly string[] | undefined;
  readonly SETTLEMENT_KEYS_EVM?: readonly string[] | undefined;
  readonly SETTLEMENT_KEY_SOLANA?: string | undefined;
  readonly USDC_ADDRESS: { values(): Iterable<string> };
}

/** A key that the server has. */
export interface OwnKey {
  /** The setting that it is in. */
  readonly setting: string;
  /** Its address, lower case; undefined for a malformed key. */
  readonly id: string | undefined;
}

interface Problem {
  readonly name: string;
  readonly message: string;
}

/**
 * Settings whose money belongs to a key of the server, or to nobody. Whoever got into the server could take it, and the key of a
 * treasury would be on a machine that does not need it. What the token's own contract receives is lost.
 * @param others the keys in settings of optional features
 */
export function ownKeyProblems(env: KeySettings, others: readonly OwnKey[]): Problem[] {
  const keys = [
    ...(env.SETTLEMENT_KEYS_EVM ?? []).map((key) => ({ setting: 'SETTLEMENT_KEYS_EVM', id: evmKeyId(key) })),
    ...others,
    ...given(env.SETTLEMENT_KEY_SOLANA).map((key) => ({
      setting: 'SETTLEMENT_KEY_SOLANA',
      id: solanaPublicKeyOf(key)?.toString('hex'),
    })),
  ];
  const treasuries = [
    { name: 'PAY_TO_EVM', ids: given(env.PAY_TO_EVM).map(lowerCase) },
    { name: 'REFUNDS_FROM_EVM', ids: (env.REFUNDS_FROM_EVM ?? []).map(lowerCase) },
    { name: 'PAY_TO_SOLANA', ids: given(env.PAY_TO_SOLANA).map(hexOfBase58) },
    { name: 'REFUNDS_FROM_SOLANA', ids: (env.REFUNDS_FROM_SOLANA ?? []).map(hexOfBase58) },
  ];
  const tokens = tokenIds(env);
  return [
    ...treasuries.flatMap(({ name, ids }) => [
      ...keys
        .filter(({ id }) => id !== undefined && ids.includes(id))
        .map(({ setting }) => ({
          name,
          message: `must not be the address of a key in ${setting}, because anyone who breaks into the server could then take its money`,
        })),
      ...(ids.some((id) => id !== undefined && tokens.has(id))
        ? [{ name, message: 'must not be the address of the token, because nobody has its key' }]
        : []),
    ]),
  ];
}

/** The address of an EVM key, lower case. */
export function evmKeyId(key: string): string | undefined {
  return evmAddressOf(key)?.toLowerCase();
}

/** The tokens of all networks, as `treasuries` writes addresses. */
function tokenIds(env: KeySettings): ReadonlySet<string | undefined> {
  const tokens = [...env.USDC_ADDRESS.values(), ...Object.values(usdcContracts)];
  return new Set(tokens.map((address) => (isEvm(address) ? lowerCase(address) : hexOfBase58(address))));
}

const given = (value: string | undefined) => (value === undefined ? [] : [value]);
const isEvm = (address: string) => address.startsWith('0x');
const lowerCase = (text: string) => text.toLowerCase();
const hexOfBase58 = (address: string) => decodeBase58(address)?.toString('hex');
