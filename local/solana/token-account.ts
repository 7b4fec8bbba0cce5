import type { Address, ReadonlyUint8Array } from '@solana/kit';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintEncoder,
  getMintSize,
  getTokenDecoder,
  getTokenEncoder,
  getTokenSize,
  type Mint,
  TOKEN_PROGRAM_ADDRESS,
  type Token,
} from '@solana-program/token';
import { formatUnits } from 'viem';

export const tokenProgram = TOKEN_PROGRAM_ADDRESS;
export const tokenAccountBytes = getTokenSize();
export const mintBytes = getMintSize();

/** The account that holds an owner's tokens of a mint, by convention. */
export async function findAssociatedTokenAddress(owner: string, mint: string): Promise<Address> {
  const [address] = await findAssociatedTokenPda({
    owner: owner as Address,
    mint: mint as Address,
    tokenProgram,
  });
  return address;
}

/** Decodes the data of a token account. */
export function readTokenAccount(data: ReadonlyUint8Array): Token {
  return getTokenDecoder().decode(data);
}

/** The data of an initialized token account that only its owner may spend from. */
export function writeTokenAccount(
  mint: string,
  owner: string,
  amountAtomic: bigint,
  isFrozen = false,
): Uint8Array {
  const account = getTokenEncoder().encode({
    mint: mint as Address,
    owner: owner as Address,
    amount: amountAtomic,
    state: isFrozen ? AccountState.Frozen : AccountState.Initialized,
    delegate: null,
    delegatedAmount: 0n,
    isNative: null,
    closeAuthority: null,
  });
  return Uint8Array.from(account);
}

/** Decodes the data of a mint. */
export function readMint(data: ReadonlyUint8Array): Mint {
  return getMintDecoder().decode(data);
}

/** The data of a mint without a mint authority or a freeze authority. */
export function writeMint(decimals: number, supplyAtomic: bigint): Uint8Array {
  const mint = getMintEncoder().encode({
    mintAuthority: null,
    supply: supplyAtomic,
    decimals,
    isInitialized: true,
    freezeAuthority: null,
  });
  return Uint8Array.from(mint);
}

/** An amount in the form of the JSON-RPC interface. */
export function toUiTokenAmount(amountAtomic: bigint, decimals: number) {
  const uiAmountString = formatUnits(amountAtomic, decimals);
  return { amount: amountAtomic.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
