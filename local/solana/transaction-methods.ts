import { decodeWire, encodeAccount, encodeRecord, parseInnerInstructions } from './encoding';
import type { SolanaLedger, TransactionRecord } from './ledger';
import { contextOf, decimalsReader, type Method, slotFor } from './methods';
import { type Config, readAddress, readCommitment, readConfig, readNumber, readStrings } from './params';
import { invalidParams, RpcError } from './rpc-error';
import type { Commitment } from './slot-clock';
import {
  areSignaturesValid,
  type DecodedTransaction,
  decodeMessage,
  decodeTransaction,
  feeOf,
} from './transaction';
import { describeTransactionError, type TransactionError } from './transaction-error';

const statusCacheSlots = 300;

function readTransaction(text: unknown, config: Config): { transaction: DecodedTransaction; wire: Buffer } {
  const wire = decodeWire(text, config.encoding ?? 'base58');
  // The largest transaction that fits into a network packet.
  if (wire.length > 1232)
    throw invalidParams(
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${wire.length} bytes (max: 1232 bytes)`,
    );
  try {
    return { transaction: decodeTransaction(wire), wire };
  } catch (error) {
    throw invalidParams(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${String(error)}`,
    );
  }
}

type SimulationOptions = { commitment: Commitment; doesReplaceBlockhash: boolean; config: Config };

function simulate(ledger: SolanaLedger, transaction: DecodedTransaction, options: SimulationOptions) {
  const { commitment, doesReplaceBlockhash, config } = options;
  const rejection = doesReplaceBlockhash ? undefined : ledger.findRejection(transaction, commitment);
  const outcome = rejection ? undefined : ledger.simulate(transaction);
  const slot = ledger.clock.slot(commitment);
  const wanted = readConfig(config.accounts);
  const addresses = wanted.addresses === undefined ? undefined : readStrings(wanted.addresses);
  return {
    err: (rejection ?? outcome?.error ?? null) as TransactionError | null,
    logs: outcome?.logs ?? [],
    accounts:
      addresses && outcome
        ? addresses.map((address) =>
            encodeAccount(
              outcome.findPostAccount(address),
              wanted.encoding ?? 'base64',
              decimalsReader(ledger),
            ),
          )
        : null,
    unitsConsumed: outcome?.unitsConsumed ?? 0,
    returnData: outcome?.returnData ?? null,
    innerInstructions:
      config.innerInstructions === true && outcome
        ? parseInnerInstructions(outcome.innerInstructions, transaction.message.accountKeys)
        : null,
    replacementBlockhash: doesReplaceBlockhash
      ? {
          blockhash: ledger.clock.blockhashOf(slot),
          lastValidBlockHeight: ledger.clock.lastValidBlockHeight(slot),
        }
      : null,
  };
}

function statusOf(ledger: SolanaLedger, record: TransactionRecord) {
  const confirmationStatus = ledger.clock.commitmentOf(record.slot);
  return {
    slot: record.slot,
    confirmations: confirmationStatus === 'finalized' ? null : ledger.clock.slot() - record.slot,
    err: record.error,
    status: record.error ? { Err: record.error } : { Ok: null },
    confirmationStatus,
  };
}

function hasReached(ledger: SolanaLedger, record: TransactionRecord, commitment: Commitment): boolean {
  return record.slot <= ledger.clock.slot(commitment);
}

const signatureFailure = () => new RpcError(-32003, 'Transaction signature verification failure');

export const transactionMethods: Record<string, Method> = {
  simulateTransaction(ledger, [text, second]) {
    const config = readConfig(second);
    const commitment = readCommitment(config.commitment);
    const { transaction } = readTransaction(text, config);
    const doesReplaceBlockhash = config.replaceRecentBlockhash === true;
    if (config.sigVerify === true) {
      if (doesReplaceBlockhash) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      if (!areSignaturesValid(transaction)) throw signatureFailure();
    }
    const value = simulate(ledger, transaction, { commitment, doesReplaceBlockhash, config });
    return { context: contextOf(ledger, commitment), value };
  },

  sendTransaction(ledger, [text, second]) {
    const config = readConfig(second);
    const { transaction, wire } = readTransaction(text, config);
    if (config.skipPreflight !== true) {
      if (!areSignaturesValid(transaction)) throw signatureFailure();
      const commitment = readCommitment(config.preflightCommitment);
      const result = simulate(ledger, transaction, { commitment, doesReplaceBlockhash: false, config: {} });
      if (result.err) {
        const reason = describeTransactionError(result.err);
        throw new RpcError(-32002, `Transaction simulation failed: ${reason}`, result);
      }
    }
    // Without preflight a node accepts any transaction, and the client is not told when the leader drops it.
    ledger.submit(transaction, wire.toString('base64'));
    return transaction.signature;
  },

  getSignatureStatuses(ledger, [list, second]) {
    const signatures = readStrings(list);
    if (signatures.length > 256) throw invalidParams('Too many inputs provided; max 256');
    const doesSearchHistory = readConfig(second).searchTransactionHistory === true;
    const value = signatures.map((signature) => {
      const record = ledger.findRecord(signature);
      if (!record) return null;
      const isRecent = ledger.clock.slot() - record.slot <= statusCacheSlots;
      return isRecent || doesSearchHistory ? statusOf(ledger, record) : null;
    });
    return { context: contextOf(ledger, 'processed'), value };
  },

  getTransaction(ledger, [signature, second]) {
    const config = typeof second === 'string' ? { encoding: second } : readConfig(second);
    const commitment = readCommitment(config.commitment);
    if (commitment === 'processed')
      throw invalidParams('Method does not support commitment below `confirmed`');
    const record = ledger.findRecord(String(signature));
    if (!record || !hasReached(ledger, record, commitment)) return null;
    const encoded = encodeRecord(record, config.encoding ?? 'json');
    if (config.maxSupportedTransactionVersion !== undefined) return encoded;
    if (encoded.version !== 'legacy') {
      throw new RpcError(
        -32015,
        `Transaction version (${encoded.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${encoded.version}`,
      );
    }
    const { version: _, ...withoutVersion } = encoded;
    return withoutVersion;
  },

  getBlock(ledger, [first, second]) {
    const { commitment: wanted, transactionDetails } = readConfig(second);
    const commitment = readCommitment(wanted);
    if (commitment === 'processed')
      throw invalidParams('Method does not support commitment below `confirmed`');
    if (transactionDetails !== 'signatures')
      throw invalidParams('Invalid params: transactionDetails other than `signatures` are not served here');
    const slot = readNumber(first);
    if (slot > ledger.clock.slot(commitment))
      throw new RpcError(-32004, `Block not available for slot ${slot}`);
    const records = ledger.listRecordsIn(slot);
    return {
      blockhash: ledger.clock.blockhashOf(slot),
      previousBlockhash: ledger.clock.blockhashOf(slot - 1),
      parentSlot: slot - 1,
      blockHeight: ledger.clock.heightOf(slot),
      blockTime: records[0]?.blockTime ?? null,
      signatures: records.map(({ signature }) => signature),
    };
  },

  getSignaturesForAddress(ledger, [address, second]) {
    const config = readConfig(second);
    const commitment = readCommitment(config.commitment);
    const limit = readNumber(config.limit, 1000);
    if (limit === 0 || limit > 1000) throw invalidParams('Invalid limit; max 1000');
    slotFor(ledger, config);
    const records = ledger
      .listRecords(readAddress(address))
      .filter((record) => hasReached(ledger, record, commitment));
    const indexOf = (signature: unknown) => records.findIndex((record) => record.signature === signature);
    const start = config.before ? indexOf(config.before) + 1 : 0;
    const end = config.until && indexOf(config.until) >= 0 ? indexOf(config.until) : records.length;
    return records.slice(start, Math.min(end, start + limit)).map((record) => ({
      signature: record.signature,
      slot: record.slot,
      err: record.error,
      memo: record.memo,
      blockTime: record.blockTime,
      confirmationStatus: ledger.clock.commitmentOf(record.slot),
    }));
  },

  getFeeForMessage(ledger, [text, second]) {
    const commitment = readCommitment(readConfig(second).commitment);
    const message = decodeMessage(decodeWire(text, 'base64'));
    const isValid = ledger.clock.isBlockhashValid(message.blockhash, commitment);
    return { context: contextOf(ledger, commitment), value: isValid ? feeOf(message) : null };
  },
};
