import { type Address, getBase58Decoder } from '@solana/kit';
import type { Account, TokenBalance } from '@/local/solana/accounts';
import type { TransactionRecord } from '@/local/solana/ledger';
import type { InnerInstruction } from '@/local/solana/outcome';
import { readMint, toUiTokenAmount } from '@/local/solana/token-account';
import { type DecodedTransaction, feeOf, isSigner, isWritable, memoOf } from '@/local/solana/transaction';
import type { TransactionError } from '@/local/solana/transaction-error';
import { walletProgram } from '../../support/wallet-program/wallet';
import {
  addressOf,
  isMint,
  isTokenAccount,
  rentExemptionFor,
  type State,
  systemProgram,
  tokenFields,
} from './accounts';
import {
  type AccountMeta,
  computeBudgetProgram,
  InstructionFailure,
  type Program,
  programs,
} from './programs';
import { wallet } from './wallet-program';

type Accounts = Map<string, Account | null>;

/** The programs of the runtime, and those that somebody has put on the cluster. */
const deployed: ReadonlyMap<string, Program> = new Map([...programs, [walletProgram, wallet]]);

/** What running a transaction comes to. `rejected`: it is in no block, and costs nothing. */
export type Result =
  | { readonly kind: 'rejected'; readonly error: TransactionError }
  | {
      readonly kind: 'included';
      readonly error: TransactionError | null;
      readonly changes: ReadonlyMap<string, Account | null>;
      readonly unitsConsumed: number;
      readonly innerInstructions: TransactionRecord['innerInstructions'];
    };

const computeUnitsMax = 1_400_000;
const computeUnitsPerInstruction = 200_000;
/** The largest account that transactions here create or keep alive has no data. */
const leastLamports = rentExemptionFor(0);

/** Runs a transaction on the accounts after a block, as a leader does once it accepts blockhash and signatures. */
export function execute(state: State, { message }: DecodedTransaction): Result {
  const { accountKeys, instructions } = message;
  const [feePayer] = accountKeys;
  if (feePayer === undefined) return { kind: 'rejected', error: 'SanitizeFailure' };
  if (new Set(accountKeys).size < accountKeys.length)
    return { kind: 'rejected', error: 'AccountLoadedTwice' };
  if (usesLookupTables(message)) return { kind: 'rejected', error: 'AddressLookupTableNotFound' };
  const limit = readBudget(message);
  if (typeof limit !== 'number') return { kind: 'rejected', error: limit };
  const payer = state.find(feePayer);
  const problem = feePayerProblem(payer, feeOf(message));
  if (!payer || problem) return { kind: 'rejected', error: problem ?? 'AccountNotFound' };
  if (instructions.some(({ programAddressIndex }) => !deployed.has(accountKeys[programAddressIndex] ?? '')))
    return { kind: 'rejected', error: 'InvalidProgramForExecution' };

  const charged: Accounts = new Map([[feePayer, { ...payer, lamports: payer.lamports - feeOf(message) }]]);
  const changes: Accounts = new Map(charged);
  const budget = { left: limit };
  const innerInstructions: TransactionRecord['innerInstructions'] = [];
  const end = (error: TransactionError | null): Result => ({
    kind: 'included',
    error,
    // What a failed transaction has written is undone; its fee is not.
    changes: error ? charged : closed(changes),
    unitsConsumed: limit - budget.left,
    innerInstructions,
  });
  for (const index of instructions.keys()) {
    try {
      runInstruction(state, changes, message, index, budget, (inner) => {
        const list = innerInstructions.find((one) => one.index === index);
        if (list) list.instructions.push(inner);
        else innerInstructions.push({ index, instructions: [inner] });
      });
    } catch (error) {
      if (!(error instanceof InstructionFailure)) throw error;
      return end({ InstructionError: [index, error.reason] });
    }
  }
  const inDebt = accountKeys.findIndex((address) => owesRent(state.find(address), changes.get(address)));
  return end(inDebt < 0 ? null : { InsufficientFundsForRent: { account_index: inDebt } });
}

type Message = DecodedTransaction['message'];

/** @param onInner is told each instruction that the program runs in turn */
function runInstruction(
  state: State,
  changes: Accounts,
  message: Message,
  index: number,
  budget: { left: number },
  onInner: (inner: InnerInstruction) => void,
): void {
  const { accountKeys, instructions } = message;
  const { programAddressIndex, accountIndices, data } = instructions[index] ?? {};
  const indexOf = (address: string) => accountKeys.indexOf(address as Address);
  const find = (address: string) => {
    const changed = changes.get(address);
    return changed === undefined ? state.find(address) : (changed ?? undefined);
  };
  const run = (
    program: string,
    accounts: readonly AccountMeta[],
    data: Buffer,
    stackHeight: number,
  ): void => {
    if (stackHeight > 1) {
      const programIdIndex = indexOf(program);
      if (programIdIndex < 0) throw new InstructionFailure('MissingAccount');
      onInner({
        programIdIndex,
        accounts: accounts.map(({ address }) => indexOf(address)),
        data: getBase58Decoder().decode(data),
        stackHeight,
      });
    }
    deployed.get(program)?.({
      accounts,
      data,
      find,
      write({ address, isWritable: mayWrite }, value) {
        const before = find(address);
        const isDataChanged = before !== undefined && !Buffer.from(before.data).equals(value.data);
        if (!mayWrite)
          throw new InstructionFailure(isDataChanged ? 'ReadonlyDataModified' : 'ReadonlyLamportChange');
        if (isDataChanged && before.owner !== program && before.owner !== systemProgram)
          throw new InstructionFailure('ExternalAccountDataModified');
        changes.set(address, value);
      },
      call: (called, given, input) => run(called, given, input, stackHeight + 1),
      spend(units, reason = 'ComputationalBudgetExceeded') {
        if (budget.left < units) {
          budget.left = 0;
          throw new InstructionFailure(reason);
        }
        budget.left -= units;
      },
    });
  };
  const accounts = (accountIndices ?? []).map(
    (account): AccountMeta => ({
      address: accountKeys[account] ?? '',
      isSigner: isSigner(message, account),
      isWritable: isWritable(message, account),
    }),
  );
  run(accountKeys[programAddressIndex ?? -1] ?? '', accounts, Buffer.from(data ?? []), 1);
}

function usesLookupTables({ accountKeys, instructions }: Message): boolean {
  const last = accountKeys.length - 1;
  return instructions.some((one) => Math.max(one.programAddressIndex, ...one.accountIndices) > last);
}

/** The compute units that a transaction may use, or why its compute budget is refused. */
function readBudget({ accountKeys, instructions }: Message): number | TransactionError {
  let limit: number | null = null;
  const seen = new Set<number>();
  for (const [index, { programAddressIndex, data }] of instructions.entries()) {
    if (accountKeys[programAddressIndex] !== computeBudgetProgram) continue;
    const bytes = Buffer.from(data);
    const kind = bytes[0] ?? 0;
    const length = budgetBytes[kind];
    if (length === undefined || bytes.length < length)
      return { InstructionError: [index, 'InvalidInstructionData'] };
    if (seen.has(kind)) return { DuplicateInstruction: index };
    seen.add(kind);
    if (kind === setUnitLimit) limit = Math.min(bytes.readUInt32LE(1), computeUnitsMax);
  }
  const others = instructions.filter(
    ({ programAddressIndex }) => accountKeys[programAddressIndex] !== computeBudgetProgram,
  );
  return limit ?? Math.min(others.length * computeUnitsPerInstruction, computeUnitsMax);
}

const setUnitLimit = 2;
/** The instructions of the compute budget program: heap frame, unit limit, unit price, size of loaded accounts. */
const budgetBytes: Readonly<Record<number, number>> = { 1: 5, [setUnitLimit]: 5, 3: 9, 4: 5 };

function feePayerProblem(payer: Account | undefined, fee: number): TransactionError | null {
  if (!payer) return 'AccountNotFound';
  if (payer.owner !== systemProgram || payer.data.length > 0) return 'InvalidAccountForFee';
  if (payer.lamports < fee) return 'InsufficientFundsForFee';
  const left = payer.lamports - fee;
  return left > 0 && left < leastLamports ? { InsufficientFundsForRent: { account_index: 0 } } : null;
}

function owesRent(before: Account | undefined, after: Account | null | undefined): boolean {
  if (!after || after.lamports === 0 || after.lamports === before?.lamports) return false;
  return after.lamports < rentExemptionFor(after.data.length);
}

/** Accounts without lamports are gone after a transaction. */
function closed(changes: Accounts): Accounts {
  return new Map([...changes].map(([address, account]) => [address, account?.lamports ? account : null]));
}

/** What a block keeps of a transaction, without the block's slot and time. */
export function recordOf(
  before: State,
  after: State,
  transaction: DecodedTransaction,
  wireBase64: string,
  { error, unitsConsumed, innerInstructions }: Extract<Result, { kind: 'included' }>,
): Omit<TransactionRecord, 'slot' | 'blockTime'> {
  const { message, messageHash, signature } = transaction;
  const accountKeys: Address[] = [...message.accountKeys];
  const lamportsIn = (state: State) => accountKeys.map((address) => state.find(address)?.lamports ?? 0);
  return {
    error,
    logs: [],
    unitsConsumed,
    innerInstructions,
    returnData: null,
    signature,
    messageHash,
    wireBase64,
    accountKeys,
    memo: memoOf(message),
    fee: feeOf(message),
    preBalances: lamportsIn(before),
    postBalances: lamportsIn(after),
    preTokenBalances: tokenBalancesIn(before, accountKeys),
    postTokenBalances: tokenBalancesIn(after, accountKeys),
  };
}

function tokenBalancesIn(state: State, addresses: readonly string[]): TokenBalance[] {
  return addresses.flatMap((address, accountIndex) => {
    const account = state.find(address);
    if (!isTokenAccount(account)) return [];
    const { mint, owner, amount } = tokenFields(account);
    const uiTokenAmount = toUiTokenAmount(amount, decimalsOf(state, addressOf(mint)));
    return [
      {
        accountIndex,
        mint: addressOf(mint),
        owner: addressOf(owner),
        programId: account.owner,
        uiTokenAmount,
      },
    ];
  });
}

export function decimalsOf(state: State, mint: string): number {
  const account = state.find(mint);
  return isMint(account) ? readMint(account.data).decimals : 0;
}
