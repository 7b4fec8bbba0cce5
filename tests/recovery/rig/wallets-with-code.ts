import { concatHex, type Hex, pad } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { rpcCall } from '@/local/json-rpc';
import type { Rig } from './rig';

/** Returns the magic value of EIP-1271, whatever was signed: 16 bytes. */
const accept = '0x631626ba7e60e01b60005260206000f3';

/** Runtime code of wallets, by their response when the token asks whether a signature is valid. */
export const wallets = {
  accept,
  /** Returns zero. */
  reject: '0x60206000f3',
  /** Burns all its gas in an endless loop. */
  burner: '0x5b600056',
  /** Returns 1 MiB of zeros. */
  returnBomb: '0x621000006000f3',
  /** Accepts as long as gas is free, as in a simulation without a price; burns all gas otherwise. */
  gasPriceFlip: concatHex(['0x3a601457', accept, '0x5b601456']),
  /** Accepts as long as its storage slot 0 is zero; burns all gas otherwise. */
  storageFlip: concatHex(['0x600054601657', accept, '0x5b601656']),
} as const satisfies Record<string, Hex>;

export type WalletCode = keyof typeof wallets;

/** Deploys code on base, at a new address. */
export async function deploy(rig: Rig, code: Hex): Promise<Hex> {
  const { address } = privateKeyToAccount(generatePrivateKey());
  await rpcCall(rig.chainUrl('base'), 'anvil_setCode', [address, code]);
  return address;
}

/** Lets the wallet's key delegate to a contract, as a type-4 transaction would (EIP-7702). */
export async function delegate(rig: Rig, { address }: PrivateKeyAccount, to: Hex): Promise<void> {
  await rpcCall(rig.chainUrl('base'), 'anvil_setCode', [address, concatHex(['0xef0100', to])]);
}

/** A new funded key that delegates to wallet code. */
export async function newDelegatedPayer(rig: Rig, code: WalletCode, to?: Hex): Promise<PrivateKeyAccount> {
  const payer = await rig.newEvmPayer();
  await delegate(rig, payer, to ?? (await deploy(rig, wallets[code])));
  return payer;
}

/** Changes the storage slot that some of the wallets check. */
export async function flip(
  rig: Rig,
  { address }: Pick<PrivateKeyAccount, 'address'>,
  value: 0 | 1 = 1,
): Promise<void> {
  const slot = pad('0x00', { size: 32 });
  const word = pad(value === 1 ? '0x01' : '0x00', { size: 32 });
  await rpcCall(rig.chainUrl('base'), 'anvil_setStorageAt', [address, slot, word]);
}
