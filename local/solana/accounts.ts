import type { Address } from '@solana/kit';
import { AccountState } from '@solana-program/token';
import type { LiteSVM } from 'litesvm';
import type { TokenAccountState } from './params';
import { invalidParams } from './rpc-error';
import {
  findAssociatedTokenAddress,
  mintBytes,
  readMint,
  readTokenAccount,
  tokenAccountBytes,
  tokenProgram,
  toUiTokenAmount,
  writeMint,
  writeTokenAccount,
} from './token-account';

export type Account = { owner: Address; lamports: number; data: Uint8Array; executable: boolean };

/** An account at one moment; undefined if it did not exist. */
export type AccountCopy = { address: string; account: Account | undefined };

export type TokenBalance = {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: ReturnType<typeof toUiTokenAmount>;
};

type SvmAccount = Parameters<LiteSVM['setAccount']>[0];

const systemProgram = '11111111111111111111111111111111' as Address;
const emptyAccount: Account = {
  owner: systemProgram,
  lamports: 0,
  data: new Uint8Array(),
  executable: false,
};

/** Copies an account of LiteSVM. */
export function fromSvmAccount(account: SvmAccount): Account {
  const { programAddress, lamports, executable, data } = account;
  return { owner: programAddress, lamports: Number(lamports), executable, data: Uint8Array.from(data) };
}

/** The accounts of a local chain: read in the form of the RPC interface, and written directly for tests and funding. */
export class Accounts {
  /** @param usdc the address of the USDC mint */
  constructor(
    private readonly svm: LiteSVM,
    private readonly usdc: string,
  ) {
    if (!this.find(usdc)) this.writeUsdcMint(0n);
  }

  find(address: string): Account | undefined {
    const account = this.svm.getAccount(address as Address);
    // The runtime deletes accounts without lamports at the end of a transaction.
    return account.exists && account.lamports > 0n ? fromSvmAccount(account) : undefined;
  }

  listTokenAccounts(owner: string): { address: string; account: Account }[] {
    return this.svm
      .getProgramAccounts(tokenProgram)
      .map((account) => ({ address: account.address, account: fromSvmAccount(account) }))
      .filter(({ account: { data, lamports } }) => lamports > 0 && data.length === tokenAccountBytes)
      .filter(({ account: { data } }) => readTokenAccount(data).owner === owner);
  }

  rentExemptionFor(bytes: number): number {
    return Number(this.svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  decimalsOf(mint: string): number {
    const account = this.find(mint);
    return account?.data.length === mintBytes ? readMint(account.data).decimals : 0;
  }

  lamportsOf(addresses: readonly string[]): number[] {
    return addresses.map((address) => this.find(address)?.lamports ?? 0);
  }

  /** The token balances of a transaction's accounts, as its metadata lists them. */
  tokenBalancesOf(addresses: readonly string[]): TokenBalance[] {
    return addresses.flatMap((address, accountIndex) => {
      const account = this.find(address);
      if (account?.owner !== tokenProgram || account.data.length !== tokenAccountBytes) return [];
      const { mint, owner, amount } = readTokenAccount(account.data);
      const uiTokenAmount = toUiTokenAmount(amount, this.decimalsOf(mint));
      return [{ accountIndex, mint, owner, programId: tokenProgram, uiTokenAmount }];
    });
  }

  copy(addresses: readonly string[]): AccountCopy[] {
    return addresses.map((address) => ({ address, account: this.find(address) }));
  }

  restore(copies: readonly AccountCopy[]): void {
    for (const { address, account } of copies) this.write(address, account ?? emptyAccount);
  }

  addLamports(address: string, lamports: number): void {
    const account = this.find(address) ?? emptyAccount;
    this.write(address, { ...account, lamports: account.lamports + lamports });
  }

  /** Sets an owner's USDC and adjusts the supply. Creates the associated token account if needed and returns its address. */
  async setTokenBalance(owner: string, amountAtomic: bigint): Promise<string> {
    const address = await findAssociatedTokenAddress(owner, this.usdc);
    const found = this.find(address);
    const before = found ? readTokenAccount(found.data).amount : 0n;
    const isFrozen = found !== undefined && readTokenAccount(found.data).state === AccountState.Frozen;
    this.writeTokenProgramAccount(address, writeTokenAccount(this.usdc, owner, amountAtomic, isFrozen));
    const mint = this.find(this.usdc);
    this.writeUsdcMint((mint ? readMint(mint.data).supply : 0n) + amountAtomic - before);
    return address;
  }

  /** Freezes, thaws or closes an owner's USDC account. Closing it leaves its tokens nowhere. */
  async setTokenAccountState(owner: string, state: TokenAccountState): Promise<void> {
    const address = await findAssociatedTokenAddress(owner, this.usdc);
    const account = this.find(address);
    if (!account) throw invalidParams('Invalid param: could not find account');
    if (state === 'closed') return this.write(address, emptyAccount);
    const { amount } = readTokenAccount(account.data);
    this.writeTokenProgramAccount(address, writeTokenAccount(this.usdc, owner, amount, state === 'frozen'));
  }

  /** Places a program at an address, or replaces it. @param elf its file, for the loader of version 3 */
  deployProgram(address: string, elf: Uint8Array): void {
    this.svm.addProgram(address as Address, elf);
  }

  /** Sets an account's data, as its owner, the system program by default, could. */
  setData(address: string, data: Uint8Array): void {
    const { owner, executable } = this.find(address) ?? emptyAccount;
    this.write(address, { owner, lamports: this.rentExemptionFor(data.length), data, executable });
  }

  private writeUsdcMint(supplyAtomic: bigint): void {
    this.writeTokenProgramAccount(this.usdc, writeMint(6, supplyAtomic));
  }

  private writeTokenProgramAccount(address: string, data: Uint8Array): void {
    this.write(address, {
      owner: tokenProgram,
      lamports: this.rentExemptionFor(data.length),
      data,
      executable: false,
    });
  }

  private write(address: string, { owner, lamports, data, executable }: Account): void {
    this.svm.setAccount({
      address,
      programAddress: owner,
      lamports: BigInt(lamports),
      data,
      executable,
      space: BigInt(data.length),
      // LiteSVM depends on a newer @solana/kit: the values are the same, only the branded types differ.
    } as unknown as SvmAccount);
  }
}
