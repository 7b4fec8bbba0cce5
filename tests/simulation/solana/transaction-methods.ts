import { decodeWire, encodeRecord, parseInnerInstructions } from '@/local/solana/encoding';
import {
  type Config,
  readAddress,
  readCommitment,
  readConfig,
  readNumber,
  readStrings,
} from '@/local/solana/params';
import { invalidParams, RpcError } from '@/local/solana/rpc-error';
import type { Commitment } from '@/local/solana/slot-clock';
import { type DecodedTransaction, decodeMessage, decodeTransaction, feeOf } from '@/local/solana/transaction';
import { describeTransactionError, type TransactionError } from '@/local/solana/transaction-error';
import { execute } from './bank';
import type { Block } from './blocks';
import { type Asked, bankFor, contextOf, encodeIn, type Method } from './methods';
import { blockhashLifetime, type Found, type View } from './view';

/** A transaction is at most one network packet. */
const wireBytesMax = 1_232;
const signaturesMax = 256;
const recordsMax = 1_000;
const blocksMax = 500_000;
/** How long nodes know statuses without searching the history. */
const statusCacheSlots = 300;

const codes = {
  blockNotAvailable: -32004,
  preflightFailed: -32002,
  signatureInvalid: -32003,
  slotSkipped: -32007,
  versionUnsupported: -32015,
} as const;

/** What was sent, because decoding takes long, and much is sent again and again. */
const readTransactions = new Map<string, { transaction: DecodedTransaction; wire: Buffer }>();
const transactionsKept = 1_000;

function readTransaction(text: unknown, { encoding = 'base58' }: Config) {
  const key = `${String(encoding)} ${String(text)}`;
  const known = readTransactions.get(key);
  if (known) return known;
  const wire = decodeWire(text, encoding);
  if (wire.length > wireBytesMax)
    throw invalidParams(
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${wire.length} bytes (max: ${wireBytesMax} bytes)`,
    );
  try {
    const read = { transaction: decodeTransaction(wire), wire };
    if (readTransactions.size >= transactionsKept) readTransactions.clear();
    readTransactions.set(key, read);
    return read;
  } catch (error) {
    throw invalidParams(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${String(error)}`,
    );
  }
}

function simulate(
  { view }: Asked,
  transaction: DecodedTransaction,
  { bank, config, replaces }: { bank: Block; config: Config; replaces: boolean },
) {
  const rejection = replaces ? null : view.rejectionAt(bank, transaction);
  const result = rejection ? null : execute(bank.state, transaction);
  const changes = result?.kind === 'included' ? result.changes : new Map();
  const { addresses, encoding = 'base64' } = readConfig(config.accounts);
  const shown = (address: string) =>
    encodeIn(bank, changes.get(address) ?? bank.state.find(address), {}, encoding);
  const blockhash = view.blocks.hashOf(bank);
  return {
    err: (rejection ?? result?.error ?? null) as TransactionError | null,
    logs: [],
    accounts: addresses !== undefined && result ? readStrings(addresses).map(shown) : null,
    unitsConsumed: result?.kind === 'included' ? result.unitsConsumed : 0,
    returnData: null,
    innerInstructions:
      config.innerInstructions === true && result?.kind === 'included'
        ? parseInnerInstructions(result.innerInstructions, transaction.message.accountKeys)
        : null,
    replacementBlockhash: replaces
      ? { blockhash, lastValidBlockHeight: bank.height + blockhashLifetime }
      : null,
  };
}

function signatureInvalid() {
  return new RpcError(codes.signatureInvalid, 'Transaction signature verification failure');
}

function statusOf(view: View, { record, block }: Found) {
  const confirmationStatus = view.commitmentOf(block);
  return {
    slot: block.slot,
    confirmations: confirmationStatus === 'finalized' ? null : view.bank('processed').slot - block.slot,
    err: record.error,
    status: record.error ? { Err: record.error } : { Ok: null },
    confirmationStatus,
  };
}

/** The history has no commitment level below `confirmed`. */
function readHistoryCommitment(value: unknown): Commitment {
  const commitment = readCommitment(value);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

const slotSkipped = (slot: number) =>
  new RpcError(
    codes.slotSkipped,
    `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
  );

/** What clients send, and what they ask about it. */
export const transactionMethods: Readonly<Record<string, Method>> = {
  sendTransaction(asked, [text, second]) {
    const config = readConfig(second);
    const { transaction, wire } = readTransaction(text, config);
    if (config.skipPreflight !== true) {
      if (!asked.hasValidSignatures(transaction)) throw signatureInvalid();
      const { preflightCommitment: commitment, minContextSlot } = config;
      const bank = bankFor(asked, { commitment, minContextSlot });
      const result = simulate(asked, transaction, { bank, config: {}, replaces: false });
      if (result.err) {
        const reason = describeTransactionError(result.err);
        throw new RpcError(codes.preflightFailed, `Transaction simulation failed: ${reason}`, result);
      }
    }
    // Without preflight a node accepts any transaction, and the client is not told when the leaders drop it.
    const maxRetries = config.maxRetries === undefined ? undefined : readNumber(config.maxRetries);
    asked.submit(transaction, wire.toString('base64'), maxRetries);
    return transaction.signature;
  },

  simulateTransaction(asked, [text, second]) {
    const config = readConfig(second);
    const bank = bankFor(asked, config);
    const { transaction } = readTransaction(text, config);
    const replaces = config.replaceRecentBlockhash === true;
    if (config.sigVerify === true) {
      if (replaces) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      if (!asked.hasValidSignatures(transaction)) throw signatureInvalid();
    }
    return { context: contextOf(bank), value: simulate(asked, transaction, { bank, config, replaces }) };
  },

  getSignatureStatuses({ view }, [list, second]) {
    const signatures = readStrings(list);
    if (signatures.length > signaturesMax)
      throw invalidParams(`Too many inputs provided; max ${signaturesMax}`);
    const searches = readConfig(second).searchTransactionHistory === true;
    const bank = view.bank('processed');
    const value = signatures.map((signature) => {
      const found = view.find(signature);
      const isKnown = found && (searches || bank.slot - found.block.slot <= statusCacheSlots);
      return isKnown ? statusOf(view, found) : null;
    });
    return { context: contextOf(bank), value };
  },

  getTransaction({ view }, [signature, second]) {
    const config = typeof second === 'string' ? { encoding: second } : readConfig(second);
    const commitment = readHistoryCommitment(config.commitment);
    const found = view.find(String(signature));
    if (!found || found.block.slot > view.bank(commitment).slot) return null;
    const encoded = encodeRecord(found.record, config.encoding ?? 'json');
    if (config.maxSupportedTransactionVersion !== undefined) return encoded;
    const { version, ...withoutVersion } = encoded;
    if (version === 'legacy') return withoutVersion;
    throw new RpcError(
      codes.versionUnsupported,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  },

  getBlock({ view }, [first, second]) {
    const { commitment, transactionDetails } = readConfig(second);
    const bank = view.bank(readHistoryCommitment(commitment));
    if (transactionDetails !== 'signatures')
      throw invalidParams('Invalid params: transactionDetails other than `signatures` are not served here');
    const slot = readNumber(first);
    if (slot > bank.slot) throw new RpcError(codes.blockNotAvailable, `Block not available for slot ${slot}`);
    const block = view.blockIn(slot, bank);
    if (!block?.parent) throw slotSkipped(slot);
    return {
      blockhash: view.blocks.hashOf(block),
      previousBlockhash: view.blocks.hashOf(block.parent),
      parentSlot: block.parent.slot,
      blockHeight: block.height,
      blockTime: block.time,
      signatures: block.records.map(({ signature }) => signature),
    };
  },

  getBlocks({ view }, [first, second, third]) {
    const { commitment } = readConfig(typeof second === 'number' ? third : second);
    const bank = view.bank(readHistoryCommitment(commitment));
    const start = readNumber(first);
    const end = typeof second === 'number' ? second : bank.slot;
    if (end - start > blocksMax) throw invalidParams(`Slot range too large; max ${blocksMax}`);
    const slots: number[] = [];
    for (let block: Block | null = bank; block && block.slot >= start; block = block.parent)
      if (block.slot <= end) slots.unshift(block.slot);
    return slots;
  },

  getSignaturesForAddress(asked, [address, second]) {
    const { view } = asked;
    const config = readConfig(second);
    const bank = bankFor(asked, { ...config, commitment: readHistoryCommitment(config.commitment) });
    const limit = readNumber(config.limit, recordsMax);
    if (limit === 0 || limit > recordsMax) throw invalidParams(`Invalid limit; max ${recordsMax}`);
    const found = view.list(readAddress(address)).filter(({ block }) => block.slot <= bank.slot);
    const indexOf = (signature: unknown) => found.findIndex(({ record }) => record.signature === signature);
    const start = config.before ? indexOf(config.before) + 1 : 0;
    const until = config.until ? indexOf(config.until) : -1;
    const end = until < 0 ? found.length : until;
    return found.slice(start, Math.min(end, start + limit)).map(({ record, block }) => ({
      signature: record.signature,
      slot: block.slot,
      err: record.error,
      memo: record.memo,
      blockTime: record.blockTime,
      confirmationStatus: view.commitmentOf(block),
    }));
  },

  getFeeForMessage(asked, [text, second]) {
    const bank = bankFor(asked, readConfig(second));
    const message = decodeMessage(decodeWire(text, 'base64'));
    const isValid = asked.view.isBlockhashValid(message.blockhash, bank);
    return { context: contextOf(bank), value: isValid ? feeOf(message) : null };
  },
};
