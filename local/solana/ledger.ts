// The chain itself: LiteSVM runs the programs, this adds what makes it a validator to its clients: ages of blockhashes,
// real signature checks, duplicates by message, history with commitment, and a way back (a fork that loses).
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { type Account, type AccountCopy, Accounts, fromSvmAccount, type TokenBalance } from './accounts';
import { type Outcome, toOutcome } from './outcome';
import { type Commitment, SlotClock, type SlotClockState } from './slot-clock';
import { areSignaturesValid, type DecodedTransaction, feeOf, isWritable, memoOf } from './transaction';
import { doesFailureLand, type TransactionError } from './transaction-error';

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
export type Submission = { landed: TransactionRecord } | { refused: TransactionError };
export type LedgerState = { clock: SlotClockState; records: TransactionRecord[] };
type SvmTransaction = Parameters<LiteSVM['sendTransaction']>[0];

const undoDepth = 256;
const recordsKept = 50_000;

/** A Solana chain in memory: LiteSVM runs the programs; slots, blockhashes, duplicates, history and forks are kept here. */
export class SolanaLedger {
  readonly clock: SlotClock;
  /** Set by every change, cleared by whoever saves. */
  isChanged = true;
  private readonly svm: LiteSVM;
  private readonly accounts: Accounts;
  private readonly records = new Map<string, TransactionRecord>();
  private readonly landedMessages = new Set<string>();
  private undo: { signature: string; before: AccountCopy[] }[] = [];

  constructor(snapshot?: Uint8Array, state?: LedgerState) {
    const svm = snapshot ? LiteSVM.fromBytes(snapshot) : new LiteSVM();
    // Ages, signatures and duplicates are checked here, as a validator does; LiteSVM knows one blockhash and no message.
    this.svm = svm.withBlockhashCheck(false).withSigverify(false).withTransactionHistory(0n);
    this.accounts = new Accounts(this.svm);
    this.clock = new SlotClock(state?.clock);
    for (const record of state?.records ?? []) this.remember(record);
  }

  toSnapshot(): Uint8Array {
    return this.svm.toBytes();
  }

  toState(recordsMax: number): LedgerState {
    return { clock: this.clock.toState(), records: [...this.records.values()].slice(-recordsMax) };
  }

  /** For reading; writes go through `change`. */
  get state(): Omit<Accounts, 'addLamports' | 'setTokenBalance' | 'restore'> {
    return this.accounts;
  }

  /** Changes accounts from outside any transaction. */
  async change<Result>(write: (accounts: Accounts) => Result | Promise<Result>): Promise<Result> {
    // Undoing an earlier transaction must not lose what is written now.
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

  /** Why a bank of that commitment would not even run the transaction, if it would not. */
  findRefusal(transaction: DecodedTransaction, commitment: Commitment): string | undefined {
    if (!this.clock.isBlockhashValid(transaction.message.blockhash, commitment)) return 'BlockhashNotFound';
    return this.landedMessages.has(transaction.messageHash) ? 'AlreadyProcessed' : undefined;
  }

  /** Runs a transaction without keeping its effects; no check but those of the runtime. */
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

  /** What a leader does with a transaction that reached it. */
  submit(transaction: DecodedTransaction, wireBase64: string): Submission {
    const { message, messageHash, signature } = transaction;
    const refusal = this.findRefusal(transaction, 'processed');
    if (refusal) return { refused: refusal };
    if (!areSignaturesValid(transaction)) return { refused: 'SignatureFailure' };
    this.setSvmClock();
    const accountKeys = [...message.accountKeys];
    const before = this.accounts.copy(accountKeys.filter((_, index) => isWritable(message, index)));
    const preBalances = this.accounts.lamportsOf(accountKeys);
    const preTokenBalances = this.accounts.tokenBalancesOf(accountKeys);
    const outcome = toOutcome(this.svm.sendTransaction(toSvmTransaction(transaction)));
    if (outcome.error && !doesFailureLand(outcome.error)) return { refused: outcome.error };
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
    return { landed: record };
  }

  /** Undoes a transaction and everything after it, as if their fork had lost; answers the signatures undone. */
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
    this.landedMessages.add(record.messageHash);
    const [oldest] = this.records.keys();
    if (this.records.size > recordsKept && oldest) this.forget(oldest);
  }

  private forget(signature: string): void {
    const record = this.records.get(signature);
    if (!record) return;
    this.records.delete(signature);
    this.landedMessages.delete(record.messageHash);
  }
}

function toSvmTransaction({ transaction }: DecodedTransaction): SvmTransaction {
  // Plain bytes and signatures; only the brands of LiteSVM's own, newer kit differ.
  return transaction as unknown as SvmTransaction;
}
