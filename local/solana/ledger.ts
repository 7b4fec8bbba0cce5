// LiteSVM runs the programs. This file adds the other things that clients expect of a validator: blockhash expiry, signature
// checks, rejection of duplicates, history with commitment levels, and rollback, which simulates a fork that loses.
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm';
import type { SolanaCluster, solanaClusters } from '../networks';
import { type Account, type AccountCopy, Accounts, fromSvmAccount, type TokenBalance } from './accounts';
import { type Outcome, toOutcome } from './outcome';
import { type Commitment, SlotClock, type SlotClockState } from './slot-clock';
import { areSignaturesValid, type DecodedTransaction, feeOf, isWritable, memoOf } from './transaction';
import { isIncludedDespite, type TransactionError } from './transaction-error';

export type TransactionRecord = Outcome & {
  signature: string;
  messageHash: string;
  slot: number;
  blockTime: number;
  wireBase64: string;
  accountKeys: string[];
  memo: string | null;
  fee: number;
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
};

export type Simulation = Outcome & { findPostAccount(address: string): Account | undefined };
export type Submission = { included: TransactionRecord } | { rejected: TransactionError };
export type LedgerState = { clock: SlotClockState; records: TransactionRecord[] };
type SvmTransaction = Parameters<LiteSVM['sendTransaction']>[0];

const undoDepth = 256;
const recordsKept = 50_000;

/** A Solana chain in memory. */
export class SolanaLedger {
  readonly clock: SlotClock;
  /** Whether there are changes to save. */
  isChanged = true;
  private readonly svm: LiteSVM;
  private readonly accounts: Accounts;
  private readonly records = new Map<string, TransactionRecord>();
  private readonly includedMessages = new Set<string>();
  private undo: { signature: string; before: AccountCopy[] }[] = [];

  constructor(
    readonly network: (typeof solanaClusters)[SolanaCluster],
    snapshot?: Uint8Array,
    state?: LedgerState,
  ) {
    const svm = snapshot ? LiteSVM.fromBytes(snapshot) : new LiteSVM();
    // We make these checks ourselves: LiteSVM knows only one blockhash and does not recognize duplicates by message.
    this.svm = svm.withBlockhashCheck(false).withSigverify(false).withTransactionHistory(0n);
    this.accounts = new Accounts(this.svm, network.usdc);
    this.clock = new SlotClock(state?.clock);
    for (const record of state?.records ?? []) this.remember(record);
  }

  toSnapshot(): Uint8Array {
    return this.svm.toBytes();
  }

  toState(recordsMax: number): LedgerState {
    return { clock: this.clock.toState(), records: [...this.records.values()].slice(-recordsMax) };
  }

  /** The accounts, read-only; use `change` to write. */
  get state(): Omit<Accounts, 'addLamports' | 'deployProgram' | 'restore' | 'setData' | 'setTokenBalance'> {
    return this.accounts;
  }

  /** Changes accounts outside any transaction. */
  async change<Result>(write: (accounts: Accounts) => Result | Promise<Result>): Promise<Result> {
    // A rollback restores whole accounts, so it must not reach back past this change.
    this.undo = [];
    this.isChanged = true;
    return write(this.accounts);
  }

  advanceSlots(slots: number): number {
    this.clock.advance(slots);
    this.isChanged = true;
    return this.clock.slot();
  }

  findRecord(signature: string): TransactionRecord | undefined {
    return this.records.get(signature);
  }

  /** Records that name the address, newest first. */
  listRecords(address: string): TransactionRecord[] {
    return [...this.records.values()].filter(({ accountKeys }) => accountKeys.includes(address)).reverse();
  }

  /** Records of a slot, in the order in which they ran. */
  listRecordsIn(slot: number): TransactionRecord[] {
    return [...this.records.values()].filter((record) => record.slot === slot);
  }

  /** Why a bank at that commitment would reject the transaction without running it; undefined if it would not. */
  findRejection(transaction: DecodedTransaction, commitment: Commitment): string | undefined {
    if (!this.clock.isBlockhashValid(transaction.message.blockhash, commitment)) return 'BlockhashNotFound';
    return this.includedMessages.has(transaction.messageHash) ? 'AlreadyProcessed' : undefined;
  }

  /** Runs a transaction without keeping its effects. Only the runtime's own checks apply. */
  simulate(transaction: DecodedTransaction): Simulation {
    this.setSvmClock();
    const result = this.svm.simulateTransaction(toSvmTransaction(transaction));
    if (result instanceof FailedTransactionMetadata) {
      return { ...toOutcome(result), findPostAccount: (address) => this.accounts.find(address) };
    }
    const after = new Map(result.postAccounts().map((account) => [account.address as string, account]));
    return {
      ...toOutcome(result.meta()),
      findPostAccount: (address) => {
        const account = after.get(address);
        return account ? fromSvmAccount(account) : this.accounts.find(address);
      },
    };
  }

  /** Processes a transaction as a leader does. */
  submit(transaction: DecodedTransaction, wireBase64: string): Submission {
    const { message, messageHash, signature } = transaction;
    const rejection = this.findRejection(transaction, 'processed');
    if (rejection) return { rejected: rejection };
    if (!areSignaturesValid(transaction)) return { rejected: 'SignatureFailure' };
    this.setSvmClock();
    const accountKeys = [...message.accountKeys];
    const before = this.accounts.copy(accountKeys.filter((_, index) => isWritable(message, index)));
    const preBalances = this.accounts.lamportsOf(accountKeys);
    const preTokenBalances = this.accounts.tokenBalancesOf(accountKeys);
    const outcome = toOutcome(this.svm.sendTransaction(toSvmTransaction(transaction)));
    if (outcome.error && !isIncludedDespite(outcome.error)) return { rejected: outcome.error };
    const record: TransactionRecord = {
      ...outcome,
      signature,
      messageHash,
      slot: this.clock.slot(),
      blockTime: Math.floor(Date.now() / 1000),
      wireBase64,
      accountKeys,
      memo: memoOf(message),
      fee: feeOf(message),
      preBalances,
      postBalances: this.accounts.lamportsOf(accountKeys),
      preTokenBalances,
      postTokenBalances: this.accounts.tokenBalancesOf(accountKeys),
    };
    this.remember(record);
    this.undo = [...this.undo.slice(1 - undoDepth), { signature, before }];
    this.isChanged = true;
    return { included: record };
  }

  /** Undoes a transaction and everything after it, as if their fork had lost. Returns the signatures undone. */
  rollback(signature: string): string[] {
    const from = this.undo.findIndex((entry) => entry.signature === signature);
    if (from < 0) return [];
    const undone = this.undo.splice(from);
    for (const entry of undone.toReversed()) {
      this.accounts.restore(entry.before);
      this.forget(entry.signature);
    }
    this.isChanged = true;
    return undone.map((entry) => entry.signature);
  }

  private setSvmClock(): void {
    const slot = BigInt(this.clock.slot());
    const now = BigInt(Math.floor(Date.now() / 1000));
    this.svm.setClock(new Clock(slot, now, slot / 432_000n, slot / 432_000n + 1n, now));
  }

  private remember(record: TransactionRecord): void {
    this.records.set(record.signature, record);
    this.includedMessages.add(record.messageHash);
    const [oldest] = this.records.keys();
    if (this.records.size > recordsKept && oldest) this.forget(oldest);
  }

  private forget(signature: string): void {
    const record = this.records.get(signature);
    if (!record) return;
    this.records.delete(signature);
    this.includedMessages.delete(record.messageHash);
  }
}

function toSvmTransaction({ transaction }: DecodedTransaction): SvmTransaction {
  // LiteSVM depends on a newer @solana/kit: the bytes are the same, only the branded types differ.
  return transaction as unknown as SvmTransaction;
}
