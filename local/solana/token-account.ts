import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
  type ReadonlyUint8Array,
} from '@solana/kit';

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
export const tokenAccountBytes = 165;
export const mintBytes = 82;

// The layout of the classic token program; an option is four bytes of presence and the value.
const offsets = { mint: 0, owner: 32, amount: 64, state: 108 } as const;
const mintOffsets = {
  authority: 4,
  supply: 36,
  decimals: 44,
  isInitialized: 45,
  freezeAuthority: 50,
} as const;

export type TokenAccount = { mint: Address; owner: Address; amountAtomic: bigint; state: string };
export type Mint = {
  supplyAtomic: bigint;
  decimals: number;
  authority: Address | null;
  freezeAuthority: Address | null;
};

/** The account that holds an owner's tokens of a mint, by convention. */
export async function findAssociatedTokenAddress(owner: string, mint: string): Promise<Address> {
  const encoder = getAddressEncoder();
  const [address] = await getProgramDerivedAddress({
    programAddress: associatedTokenProgram,
    seeds: [owner as Address, tokenProgram, mint as Address].map((seed) => encoder.encode(seed)),
  });
  return address;
}

function addressAt(data: ReadonlyUint8Array, offset: number): Address {
  return getAddressDecoder().decode(data, offset);
}

function optionalAddressAt(data: ReadonlyUint8Array, offset: number): Address | null {
  return data[offset - 4] === 1 ? addressAt(data, offset) : null;
}

/** What the data of a token account says (SPL Token, `Account`). */
export function readTokenAccount(data: ReadonlyUint8Array): TokenAccount {
  const states = ['uninitialized', 'initialized', 'frozen'];
  return {
    mint: addressAt(data, offsets.mint),
    owner: addressAt(data, offsets.owner),
    amountAtomic: Buffer.from(data).readBigUInt64LE(offsets.amount),
    state: states[data[offsets.state] ?? 0] ?? 'uninitialized',
  };
}

/** The data of an initialized token account that nobody else may spend from. */
export function writeTokenAccount(mint: string, owner: string, amountAtomic: bigint): Uint8Array {
  const data = Buffer.alloc(tokenAccountBytes);
  data.set(getAddressEncoder().encode(mint as Address), offsets.mint);
  data.set(getAddressEncoder().encode(owner as Address), offsets.owner);
  data.writeBigUInt64LE(amountAtomic, offsets.amount);
  data[offsets.state] = 1;
  return Uint8Array.from(data);
}

/** What the data of a mint says (SPL Token, `Mint`). */
export function readMint(data: ReadonlyUint8Array): Mint {
  return {
    supplyAtomic: Buffer.from(data).readBigUInt64LE(mintOffsets.supply),
    decimals: data[mintOffsets.decimals] ?? 0,
    authority: optionalAddressAt(data, mintOffsets.authority),
    freezeAuthority: optionalAddressAt(data, mintOffsets.freezeAuthority),
  };
}

/** A mint that nobody can mint from or freeze with. */
export function writeMint(decimals: number, supplyAtomic: bigint): Uint8Array {
  const data = Buffer.alloc(mintBytes);
  data.writeBigUInt64LE(supplyAtomic, mintOffsets.supply);
  data[mintOffsets.decimals] = decimals;
  data[mintOffsets.isInitialized] = 1;
  return Uint8Array.from(data);
}

/** An amount as the RPC writes it. */
export function toUiTokenAmount(amountAtomic: bigint, decimals: number) {
  const digits = amountAtomic.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction ? `${whole}.${fraction}` : whole;
  return { amount: amountAtomic.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
