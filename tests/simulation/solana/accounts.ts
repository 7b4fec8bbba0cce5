import type { Address } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { solanaNetwork } from '@/local/networks';
import type { Account } from '@/local/solana/accounts';
import {
  mintBytes,
  tokenAccountBytes,
  tokenProgram,
  writeMint,
  writeTokenAccount,
} from '@/local/solana/token-account';

export const systemProgram = '11111111111111111111111111111111' as Address;
const bytesBesideData = 128;
const lamportsPerByte = 6_960;

/** What an account of this size must hold to be kept: two years' rent. Lamports. */
export function rentExemptionFor(bytes: number): number {
  return (bytesBesideData + bytes) * lamportsPerByte;
}

/** The accounts after a block: those that it changed, over those of the block before. Null is an account that is gone. */
export class State {
  readonly #below: State | null;
  readonly #changed: ReadonlyMap<string, Account | null>;
  readonly #depth: number;

  private constructor(below: State | null, changed: ReadonlyMap<string, Account | null>, depth: number) {
    this.#below = below;
    this.#changed = changed;
    this.#depth = depth;
  }

  /** The accounts before the first block. Accounts that nobody has changed can still be added to them. */
  static first(accounts: ReadonlyMap<string, Account>): State {
    return new State(null, accounts, 0);
  }

  find(address: string): Account | undefined {
    for (let state: State | null = this; state; state = state.#below) {
      const found = state.#changed.get(address);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
  }

  /** Addresses of all accounts, also of those that are gone. */
  addresses(): ReadonlySet<string> {
    const all = new Set<string>();
    for (let state: State | null = this; state; state = state.#below)
      for (const address of state.#changed.keys()) all.add(address);
    return all;
  }

  /** Whether a block has ever changed the account. */
  hasChanged(address: string): boolean {
    let state: State = this;
    for (; state.#below; state = state.#below) if (state.#changed.has(address)) return true;
    return false;
  }

  with(changes: ReadonlyMap<string, Account | null>): State {
    if (changes.size === 0) return this;
    if (this.#depth < layersMax) return new State(this, changes, this.#depth + 1);
    // Old blocks keep their layers; new ones find accounts in a few steps.
    const merged = new Map(changes);
    let root: State = this;
    for (; root.#below; root = root.#below)
      for (const [address, account] of root.#changed) if (!merged.has(address)) merged.set(address, account);
    return new State(root, merged, 1);
  }
}

/** How many layers are searched for an account. */
const layersMax = 40;

export function isTokenAccount(account: Account | undefined): account is Account {
  return account?.owner === tokenProgram && account.data.length === tokenAccountBytes;
}

export function isMint(account: Account | undefined): account is Account {
  return account?.owner === tokenProgram && account.data.length === mintBytes;
}

/** The account of a token owner, rent-exempt. */
export function newTokenAccount(mint: string, owner: string, atomic: bigint): Account {
  return {
    owner: tokenProgram,
    lamports: rentExemptionFor(tokenAccountBytes),
    data: writeTokenAccount(mint, owner, atomic),
    executable: false,
  };
}

/** Where SPL Token keeps the fields of an account: mint, owner, amount (u64), delegate, state. */
const at = { mint: 0, owner: 32, amount: 64, state: 108 } as const;
export const tokenStates = { uninitialized: 0, initialized: 1, frozen: 2 } as const;

/** Reads fields without decoding the whole account, because transfers do so all the time. */
export function tokenFields({ data }: Account) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  return {
    mint: bytes.subarray(at.mint, at.owner),
    owner: bytes.subarray(at.owner, at.amount),
    amount: bytes.readBigUInt64LE(at.amount),
    state: bytes.readUInt8(at.state),
  };
}

export function withAmount(account: Account, atomic: bigint): Account {
  const data = Buffer.from(account.data);
  data.writeBigUInt64LE(atomic, at.amount);
  return { ...account, data };
}

export function withTokenState(account: Account, state: number): Account {
  const data = Buffer.from(account.data);
  data.writeUInt8(state, at.state);
  return { ...account, data };
}

const addresses = new Map<string, string>();

/** Base58, remembered, because converting takes long. */
export function addressOf(bytes: Buffer): string {
  const key = bytes.toString('hex');
  const address = addresses.get(key) ?? new PublicKey(bytes).toBase58();
  addresses.set(key, address);
  return address;
}

export const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const associatedAddresses = new Map<string, string>();

/** The address of an owner's token account. Remembered, because finding it takes milliseconds. */
export function associatedAddressOf(owner: string, mint: string): string {
  const key = `${owner} ${mint}`;
  const known = associatedAddresses.get(key);
  if (known) return known;
  const seeds = [owner, tokenProgram, mint].map((part) => new PublicKey(part).toBuffer());
  const program = new PublicKey(associatedTokenProgram);
  const address = PublicKey.findProgramAddressSync(seeds, program)[0].toBase58();
  associatedAddresses.set(key, address);
  return address;
}

/** The programs that there are, with what they hold. Their code is not kept. */
const programLamports: Readonly<Record<string, number>> = {
  [systemProgram]: 1,
  ComputeBudget111111111111111111111111111111: 1,
  [tokenProgram]: 1_141_440,
  [associatedTokenProgram]: 731_913_600,
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 16_926_720,
};

/** What every simulated cluster begins with: programs, and the USDC mint. */
export function firstAccounts(): Map<string, Account> {
  const owner = 'NativeLoader1111111111111111111111111111111' as Address;
  const programs = Object.entries(programLamports).map(
    ([address, lamports]) =>
      [address, { owner, lamports, data: new Uint8Array(), executable: true }] as const,
  );
  const mint = {
    owner: tokenProgram,
    lamports: rentExemptionFor(mintBytes),
    data: writeMint(6, 0n),
    executable: false,
  };
  return new Map<string, Account>([...programs, [solanaNetwork.usdc, mint]]);
}
