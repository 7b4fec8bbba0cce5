import { isUtf8 } from 'node:buffer';
import type { Account } from '@/local/solana/accounts';
import { readMint, tokenAccountBytes, tokenProgram } from '@/local/solana/token-account';
import {
  addressOf,
  associatedAddressOf,
  associatedTokenProgram,
  isMint,
  isTokenAccount,
  newTokenAccount,
  rentExemptionFor,
  systemProgram,
  tokenFields,
  tokenStates,
  withAmount,
} from './accounts';

/** Why an instruction fails, in the form of the JSON-RPC interface. */
export class InstructionFailure extends Error {
  constructor(readonly reason: string | { readonly Custom: number }) {
    super(JSON.stringify(reason));
  }
}

/** An account as an instruction names it. */
export interface AccountMeta {
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

/** What an instruction works on. */
export interface Instruction {
  readonly accounts: readonly AccountMeta[];
  readonly data: Buffer;
  find(address: string): Account | undefined;
  /** Writes as this program. @throws InstructionFailure when the account is read-only, or another program's */
  write(account: AccountMeta, value: Account): void;
  /** Runs an instruction of another program, on accounts of this one. */
  call(program: string, accounts: readonly AccountMeta[], data: Buffer): void;
  /** Uses compute units. @param reason how the instruction fails when there are not enough */
  spend(units: number, reason?: string): void;
}

export type Program = (instruction: Instruction) => void;

export const fail = (reason: string | number): never => {
  throw new InstructionFailure(typeof reason === 'number' ? { Custom: reason } : reason);
};

/** Every program of the runtime itself costs as much. */
const builtInUnits = 150;

function accountAt({ accounts }: Instruction, index: number): AccountMeta {
  return accounts[index] ?? fail('NotEnoughAccountKeys');
}

/** SPL Token's error numbers. */
const tokenErrors = {
  insufficientFunds: 1,
  mintMismatch: 3,
  ownerMismatch: 4,
  invalidInstruction: 12,
  accountFrozen: 17,
  mintDecimalsMismatch: 18,
} as const;
const transferChecked = { discriminator: 12, bytes: 10, accounts: 4 } as const;
const transferUnits = 105;

function loadTokenAccount(instruction: Instruction, { address }: AccountMeta): Account {
  const account = instruction.find(address);
  if (account?.data.length !== tokenAccountBytes) return fail('InvalidAccountData');
  return tokenFields(account).state === tokenStates.uninitialized ? fail('UninitializedAccount') : account;
}

/** TransferChecked alone. Multisig owners and delegates are not simulated: nobody but the owner may transfer. */
const token: Program = (instruction) => {
  const { accounts, data } = instruction;
  instruction.spend(transferUnits, 'ProgramFailedToComplete');
  if (data[0] !== transferChecked.discriminator || data.length < transferChecked.bytes)
    fail(tokenErrors.invalidInstruction);
  if (accounts.length < transferChecked.accounts) fail('NotEnoughAccountKeys');
  const [source, mint, destination, authority] = [0, 1, 2, 3].map((index) =>
    accountAt(instruction, index),
  ) as [AccountMeta, AccountMeta, AccountMeta, AccountMeta];
  const atomic = data.readBigUInt64LE(1);
  const from = loadTokenAccount(instruction, source);
  const to = loadTokenAccount(instruction, destination);
  const [sent, received] = [tokenFields(from), tokenFields(to)];
  if ([sent, received].some(({ state }) => state === tokenStates.frozen)) fail(tokenErrors.accountFrozen);
  if (sent.amount < atomic) fail(tokenErrors.insufficientFunds);
  if (!sent.mint.equals(received.mint) || addressOf(sent.mint) !== mint.address)
    fail(tokenErrors.mintMismatch);
  const minted = instruction.find(mint.address);
  if (!isMint(minted)) return fail('InvalidAccountData');
  if (readMint(minted.data).decimals !== data[9]) fail(tokenErrors.mintDecimalsMismatch);
  if (addressOf(sent.owner) !== authority.address) fail(tokenErrors.ownerMismatch);
  if (!authority.isSigner) fail('MissingRequiredSignature');
  if (source.address === destination.address || atomic === 0n) {
    if (from.owner !== tokenProgram || to.owner !== tokenProgram) fail('IncorrectProgramId');
    return;
  }
  instruction.write(source, withAmount(from, sent.amount - atomic));
  instruction.write(destination, withAmount(to, received.amount + atomic));
};

const createUnits = 13_525;

/** Create and CreateIdempotent. */
const associatedToken: Program = (instruction) => {
  const { accounts, data } = instruction;
  instruction.spend(createUnits, 'ComputationalBudgetExceeded');
  const kind = data[0] ?? 0;
  if (kind > 1) fail('InvalidInstructionData');
  const [payer, account, owner, mint] = [0, 1, 2, 3].map((index) => accountAt(instruction, index)) as [
    AccountMeta,
    AccountMeta,
    AccountMeta,
    AccountMeta,
  ];
  const found = instruction.find(account.address);
  const fields = isTokenAccount(found) ? tokenFields(found) : null;
  if (kind === 1 && fields) {
    // The address is derived from owner and mint, so an account there is theirs unless its owner has given it away.
    if (addressOf(fields.owner) !== owner.address) fail(0);
    if (addressOf(fields.mint) !== mint.address) fail('InvalidAccountData');
    return;
  }
  if (found && found.owner !== systemProgram) fail('IllegalOwner');
  if (associatedAddressOf(owner.address, mint.address) !== account.address) fail('InvalidSeeds');
  if (accounts.length < 6) fail('NotEnoughAccountKeys');
  if (!isMint(instruction.find(mint.address))) fail('IncorrectProgramId');
  move(instruction, payer, account, rentExemptionFor(tokenAccountBytes) - (found?.lamports ?? 0));
  const opened = newTokenAccount(mint.address, owner.address, 0n);
  instruction.write(account, { ...opened, lamports: instruction.find(account.address)?.lamports ?? 0 });
};

function move(instruction: Instruction, from: AccountMeta, to: AccountMeta, lamports: number): void {
  const source = instruction.find(from.address);
  if (!from.isSigner) fail('MissingRequiredSignature');
  if (source && source.data.length > 0) fail('InvalidArgument');
  if ((source?.lamports ?? 0) < lamports) fail(1);
  if (!source || lamports <= 0) return;
  instruction.write(from, { ...source, lamports: source.lamports - lamports });
  const target = instruction.find(to.address) ?? emptyAccount;
  instruction.write(to, { ...target, lamports: target.lamports + lamports });
}

const emptyAccount: Account = {
  owner: systemProgram,
  lamports: 0,
  data: new Uint8Array(),
  executable: false,
};

const systemTransfer = { discriminator: 2, bytes: 12 } as const;

/** Transfer alone. */
const system: Program = (instruction) => {
  const { data } = instruction;
  instruction.spend(builtInUnits);
  if (data.length < systemTransfer.bytes || data.readUInt32LE(0) !== systemTransfer.discriminator)
    fail('InvalidInstructionData');
  move(instruction, accountAt(instruction, 0), accountAt(instruction, 1), Number(data.readBigUInt64LE(4)));
};

const memoUnits = 250;

const memo: Program = ({ accounts, data, spend }) => {
  spend(memoUnits, 'ComputationalBudgetExceeded');
  if (accounts.some(({ isSigner }) => !isSigner)) fail('MissingRequiredSignature');
  if (!isUtf8(data)) fail('ProgramFailedToComplete');
};

const computeBudget: Program = ({ spend }) => spend(builtInUnits);

export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';

/** The programs of the runtime that transactions may call. */
export const programs: ReadonlyMap<string, Program> = new Map([
  [systemProgram, system],
  [computeBudgetProgram, computeBudget],
  [tokenProgram, token],
  [associatedTokenProgram, associatedToken],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', memo],
]);
