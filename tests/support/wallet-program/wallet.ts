import { readFileSync } from 'node:fs';
import { type AccountMeta, Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { rpcCall } from '@/local/json-rpc';
import { findAssociatedTokenAddress, tokenProgram } from '@/local/solana/token-account';
import { assemble } from './assembler';
import { toElf } from './elf';

/** The address of the wallet program, on clusters where a wallet of it was opened. */
export const walletProgram = 'Wa11etProgram111111111111111111111111111111';

/** What a smart wallet does when it is told to pay. Its owner can change that at any time. */
export const behaviors = {
  pays: 0,
  doesNothing: 1,
  fails: 2,
  paysHalf: 3,
  paysTwice: 4,
  computesForever: 5,
} as const;

/** The smart wallet of one member. */
export interface SolanaSmartWallet {
  /** The vault, which owns the tokens. */
  readonly address: string;
  readonly bump: number;
  /** Signs the wallet's instructions. */
  readonly member: Keypair;
  /** The account that says how the wallet behaves. At first it does not exist, and the wallet pays. */
  readonly settings: PublicKey;
  readonly program: PublicKey;
  readonly rpcUrl: string;
}

/**
 * Opens a smart wallet with tokens in its vault. Its program is put on the cluster if it is not there yet.
 * @param programAddress where the program is, if not at `walletProgram`
 */
export async function openSmartWallet(
  rpcUrl: string,
  atomic: bigint,
  programAddress = walletProgram,
): Promise<SolanaSmartWallet> {
  await deployWalletProgram(rpcUrl, programAddress);
  const program = new PublicKey(programAddress);
  const member = Keypair.generate();
  const seeds = [Buffer.from('vault'), member.publicKey.toBuffer()];
  const [vault, bump] = PublicKey.findProgramAddressSync(seeds, program);
  const address = vault.toBase58();
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [address, atomic.toString()]);
  return { address, bump, member, settings: Keypair.generate().publicKey, program, rpcUrl };
}

/** Puts the wallet's program on a cluster, if it is not there yet. */
export async function deployWalletProgram(rpcUrl: string, address = walletProgram): Promise<void> {
  const found = (await rpcCall(rpcUrl, 'getAccountInfo', [address])) as { value: unknown };
  if (found.value !== null) return;
  const listing = readFileSync('tests/support/wallet-program/wallet.s', 'utf8');
  await rpcCall(rpcUrl, 'tuppence_deployProgram', [address, toElf(assemble(listing)).toString('base64')]);
}

/** Changes what a wallet does from now on, also with payments that are already signed. */
export async function setBehavior(
  wallet: SolanaSmartWallet,
  behavior: keyof typeof behaviors,
): Promise<void> {
  const data = Buffer.from([behaviors[behavior]]).toString('base64');
  await rpcCall(wallet.rpcUrl, 'tuppence_setAccountData', [wallet.settings.toBase58(), data]);
}

/** A wallet's instruction to pay an owner of tokens. `more` are accounts that the program ignores. */
export async function walletInstruction(
  { address, bump, member, settings, program }: SolanaSmartWallet,
  payment: { mint: string; to: string; amount: bigint },
  more: readonly AccountMeta[] = [],
): Promise<TransactionInstruction> {
  const { mint, to, amount } = payment;
  const data = Buffer.alloc(9);
  data.writeUInt8(bump, 0);
  data.writeBigUInt64LE(amount, 1);
  const readOnly = (key: string) => ({ pubkey: new PublicKey(key), isSigner: false, isWritable: false });
  const tokenAccount = async (owner: string) => ({
    ...readOnly(await findAssociatedTokenAddress(owner, mint)),
    isWritable: true,
  });
  return new TransactionInstruction({
    programId: program,
    keys: [
      readOnly(settings.toBase58()),
      { ...readOnly(member.publicKey.toBase58()), isSigner: true },
      readOnly(address),
      await tokenAccount(address),
      readOnly(mint),
      await tokenAccount(to),
      readOnly(tokenProgram),
      ...more,
    ],
    data,
  });
}
