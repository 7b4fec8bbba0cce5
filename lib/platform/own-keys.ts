import { decodeBase58, evmAddressOf, solanaPublicKeyOf } from './key-addresses';

interface KeySettings {
  readonly PAY_TO_EVM?: string | undefined;
  readonly PAY_TO_SOLANA?: string | undefined;
  readonly REFUNDS_FROM_EVM?: readonly string[] | undefined;
  readonly REFUNDS_FROM_SOLANA?: readonly string[] | undefined;
  readonly SETTLEMENT_KEYS_EVM?: readonly string[] | undefined;
  readonly SETTLEMENT_KEY_SOLANA?: string | undefined;
  readonly BATCH_AUTHORIZER_KEY?: string | undefined;
}

/**
 * Settings whose money belongs to a key of the server. Whoever got into the server could take it, and the key of a treasury
 * would be on a machine that does not need it.
 */
export function ownKeyProblems(env: KeySettings): { name: string; message: string }[] {
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
  return treasuries.flatMap(({ name, ids }) =>
    keys
      .filter(({ id }) => id !== undefined && ids.includes(id))
      .map(({ setting }) => ({
        name,
        message: `must not be the address of a key in ${setting}, because whoever got into the server could take its money`,
      })),
  );
}

const given = (value: string | undefined) => (value === undefined ? [] : [value]);
const lowerCase = (text: string) => text.toLowerCase();
const ofEvmKey = (key: string) => evmAddressOf(key)?.toLowerCase();
const hexOfBase58 = (address: string) => decodeBase58(address)?.toString('hex');
