import { decodeBase58, evmAddressOf, solanaPublicKeyOf } from './key-addresses';
import { usdcContracts } from './usdc-contracts';

interface KeySettings {
  readonly PAY_TO_EVM?: string | undefined;
  readonly PAY_TO_SOLANA?: string | undefined;
  readonly REFUNDS_FROM_EVM?: readonly string[] | undefined;
  readonly REFUNDS_FROM_SOLANA?: readonly string[] | undefined;
  readonly SETTLEMENT_KEYS_EVM?: readonly string[] | undefined;
  readonly SETTLEMENT_KEY_SOLANA?: string | undefined;
  readonly BATCH_AUTHORIZER_KEY?: string | undefined;
  readonly USDC_ADDRESS: { values(): Iterable<string> };
}

interface Problem {
  readonly name: string;
  readonly message: string;
}

/**
 * Settings whose money belongs to a key of the server, or to nobody. Whoever got into the server could take it, and the key of a
 * treasury would be on a machine that does not need it. What the token's own contract receives is lost.
 */
export function ownKeyProblems(env: KeySettings): Problem[] {
  const keys = [
    ...(env.SETTLEMENT_KEYS_EVM ?? []).map((key) => ({ setting: 'SETTLEMENT_KEYS_EVM', id: ofEvmKey(key) })),
    ...given(env.BATCH_AUTHORIZER_KEY).map((key) => ({ setting: 'BATCH_AUTHORIZER_KEY', id: ofEvmKey(key) })),
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
    ...authorizerProblems(env),
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

/** The authorizer is part of the terms of every channel, so it cannot be replaced as a settlement key can. */
function authorizerProblems({
  BATCH_AUTHORIZER_KEY: key,
  SETTLEMENT_KEYS_EVM: others = [],
}: KeySettings): Problem[] {
  const authorizer = key && ofEvmKey(key);
  if (!authorizer || !others.some((other) => ofEvmKey(other) === authorizer)) return [];
  const message =
    'must not be a key in SETTLEMENT_KEYS_EVM, because it cannot be replaced as long as channels are open. Generate another key';
  return [{ name: 'BATCH_AUTHORIZER_KEY', message }];
}

/** The tokens of all networks, as `treasuries` writes addresses. */
function tokenIds(env: KeySettings): ReadonlySet<string | undefined> {
  const tokens = [...env.USDC_ADDRESS.values(), ...Object.values(usdcContracts)];
  return new Set(tokens.map((address) => (isEvm(address) ? lowerCase(address) : hexOfBase58(address))));
}

const given = (value: string | undefined) => (value === undefined ? [] : [value]);
const isEvm = (address: string) => address.startsWith('0x');
const lowerCase = (text: string) => text.toLowerCase();
const ofEvmKey = (key: string) => evmAddressOf(key)?.toLowerCase();
const hexOfBase58 = (address: string) => decodeBase58(address)?.toString('hex');
