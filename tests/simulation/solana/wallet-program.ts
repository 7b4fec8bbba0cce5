import { PublicKey } from '@solana/web3.js';
import { tokenProgram } from '@/local/solana/token-account';
import { behaviors, walletProgram } from '../../support/wallet-program/wallet';
import { fail, type Instruction, type Program } from './programs';

/** The error of the test wallet program when its settings tell it to fail. */
const refused = 7;
/** Roughly what the program costs without the transfer. */
const units = 4_000;

/** The vault of a member, and the bump seed of its address. */
export function vaultOf(member: PublicKey): { readonly vault: PublicKey; readonly bump: number } {
  const key = member.toBase58();
  const known = vaults.get(key);
  if (known) return known;
  const seeds = [Buffer.from('vault'), member.toBuffer()];
  const [vault, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(walletProgram));
  const found = { vault, bump };
  vaults.set(key, found);
  return found;
}

/** Deriving an address takes long. */
const vaults = new Map<string, { readonly vault: PublicKey; readonly bump: number }>();

const transferChecked = { discriminator: 12, bytes: 10, decimals: 6 } as const;

/** Calls the token program, which the vault's seeds entitle the wallet to. */
function pay(instruction: Instruction, atomic: bigint): void {
  const [, member, vault, source, mint, destination] = instruction.accounts;
  if (!member || !vault || !source || !mint || !destination) throw fail('NotEnoughAccountKeys');
  if (vault.address !== vaultOf(new PublicKey(member.address)).vault.toBase58()) fail('InvalidSeeds');
  const data = Buffer.alloc(transferChecked.bytes);
  data[0] = transferChecked.discriminator;
  data.writeBigUInt64LE(atomic, 1);
  data[9] = transferChecked.decimals;
  const authority = { ...vault, isSigner: true };
  instruction.call(tokenProgram, [source, mint, destination, authority], data);
}

/** A smart wallet that pays what its member signs, unless its settings say something else: what `wallet.s` does on a real cluster. */
export const wallet: Program = (instruction) => {
  const { accounts, data } = instruction;
  instruction.spend(units);
  const [settings, member] = accounts;
  if (!settings || !member || accounts.length < 7) return fail('NotEnoughAccountKeys');
  if (data.length !== 9) return fail('InvalidInstructionData');
  if (!member.isSigner) return fail('MissingRequiredSignature');
  const atomic = data.readBigUInt64LE(1);
  switch (instruction.find(settings.address)?.data[0] ?? behaviors.pays) {
    case behaviors.pays:
      return pay(instruction, atomic);
    case behaviors.doesNothing:
      return undefined;
    case behaviors.paysHalf:
      return pay(instruction, atomic / 2n);
    case behaviors.paysTwice:
      pay(instruction, atomic);
      return pay(instruction, atomic);
    case behaviors.fails:
      return fail(refused);
    case behaviors.computesForever:
      return instruction.spend(Number.POSITIVE_INFINITY, 'ProgramFailedToComplete');
    default:
      return fail('InvalidAccountData');
  }
};
