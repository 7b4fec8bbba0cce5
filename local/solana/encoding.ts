import { getBase58Decoder, getBase58Encoder, unwrapOption } from '@solana/kit';
import {
  AccountState,
  getTransferCheckedInstructionDataDecoder,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import type { Account } from './accounts';
import type { TransactionRecord } from './ledger';
import type { Outcome } from './outcome';
import { invalidParams } from './rpc-error';
import {
  mintBytes,
  readMint,
  readTokenAccount,
  tokenAccountBytes,
  tokenProgram,
  toUiTokenAmount,
} from './token-account';
import { type DecodedMessage, decodeTransaction, isSigner, isWritable } from './transaction';

/** Decodes a transaction or message from a request parameter. */
export function decodeWire(text: unknown, encoding: unknown): Buffer {
  if (typeof text !== 'string') throw invalidParams('Invalid params: invalid type, expected a string.');
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== 'base58')
    throw invalidParams(`unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`);
  try {
    return Buffer.from(getBase58Encoder().encode(text));
  } catch {
    throw invalidParams('invalid base58 encoding');
  }
}

/** An account in the form of the JSON-RPC interface; `jsonParsed` needs the decimals of mints. */
export function encodeAccount(
  account: Account | undefined,
  encoding: unknown,
  decimalsOf: (mint: string) => number,
  slice?: { offset: number; length: number },
) {
  if (!account) return null;
  return {
    data: encodeData(account, encoding, decimalsOf, slice),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: 0,
    space: account.data.length,
  };
}

function encodeData(
  { owner, data }: Account,
  encoding: unknown,
  decimalsOf: (mint: string) => number,
  slice: { offset: number; length: number } | undefined,
) {
  if (encoding === 'jsonParsed' && owner === tokenProgram) {
    if (data.length === tokenAccountBytes) return parsedTokenAccount(data, decimalsOf);
    if (data.length === mintBytes) return parsedMint(data);
  }
  const bytes = slice ? data.slice(slice.offset, slice.offset + slice.length) : data;
  if (encoding === 'base58') return [getBase58Decoder().decode(bytes), 'base58'];
  // Requests without an encoding get the interface's oldest form.
  if (encoding === undefined) return getBase58Decoder().decode(bytes);
  return [Buffer.from(bytes).toString('base64'), 'base64'];
}

function parsedTokenAccount(data: Uint8Array, decimalsOf: (mint: string) => number) {
  const { mint, owner, state, amount } = readTokenAccount(data);
  const tokenAmount = toUiTokenAmount(amount, decimalsOf(mint));
  const info = { isNative: false, mint, owner, state: AccountState[state].toLowerCase(), tokenAmount };
  return { program: 'spl-token', parsed: { info, type: 'account' }, space: tokenAccountBytes };
}

function parsedMint(data: Uint8Array) {
  const { decimals, freezeAuthority, isInitialized, mintAuthority, supply } = readMint(data);
  const info = {
    decimals,
    freezeAuthority: unwrapOption(freezeAuthority),
    isInitialized,
    mintAuthority: unwrapOption(mintAuthority),
    supply: supply.toString(),
  };
  return { program: 'spl-token', parsed: { info, type: 'mint' }, space: mintBytes };
}

/** Inner instructions as simulations and `jsonParsed` return them: parsed, or with addresses instead of account indexes. */
export function parseInnerInstructions(
  innerInstructions: Outcome['innerInstructions'],
  accountKeys: readonly string[],
) {
  return innerInstructions.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) =>
      parseInstruction({
        programId: accountKeys[programIdIndex] ?? '',
        accounts: accounts.map((account) => accountKeys[account] ?? ''),
        data,
        stackHeight,
      }),
    ),
  }));
}

type ResolvedInstruction = { programId: string; accounts: string[]; data: string; stackHeight: number };

/** A node parses the instructions of many programs. Here only transfers of tokens are, with `transferChecked`. */
function parseInstruction(instruction: ResolvedInstruction) {
  const { programId, accounts, stackHeight } = instruction;
  const [source, mint, destination, authority, ...signers] = accounts;
  const data = getBase58Encoder().encode(instruction.data);
  const isTransfer = programId === tokenProgram && data[0] === TRANSFER_CHECKED_DISCRIMINATOR;
  if (!isTransfer || data.length < 10 || authority === undefined) return instruction;
  const { amount, decimals } = getTransferCheckedInstructionDataDecoder().decode(data);
  const tokenAmount = toUiTokenAmount(amount, decimals);
  const by = signers.length === 0 ? { authority } : { multisigAuthority: authority, signers };
  const info = { source, mint, destination, tokenAmount, ...by };
  return { program: 'spl-token', programId, parsed: { type: 'transferChecked', info }, stackHeight };
}

/** A stored transaction in the form that getTransaction returns. */
export function encodeRecord(record: TransactionRecord, encoding: unknown) {
  const wire = Buffer.from(record.wireBase64, 'base64');
  const { message, signatures } = decodeTransaction(wire);
  const isParsed = encoding === 'jsonParsed';
  const shown = isParsed ? parsedMessage(message) : plainMessage(message);
  const encoded: Record<string, unknown> = {
    base64: [record.wireBase64, 'base64'],
    base58: [getBase58Decoder().decode(wire), 'base58'],
  };
  return {
    slot: record.slot,
    blockTime: record.blockTime,
    version: message.version,
    transaction: encoded[String(encoding)] ?? { signatures, message: shown },
    meta: {
      err: record.error,
      status: record.error ? { Err: record.error } : { Ok: null },
      fee: record.fee,
      preBalances: record.preBalances,
      postBalances: record.postBalances,
      preTokenBalances: record.preTokenBalances,
      postTokenBalances: record.postTokenBalances,
      innerInstructions: isParsed
        ? parseInnerInstructions(record.innerInstructions, record.accountKeys)
        : record.innerInstructions,
      logMessages: record.logs,
      rewards: [],
      loadedAddresses: { writable: [], readonly: [] },
      computeUnitsConsumed: record.unitsConsumed,
      ...(record.returnData ? { returnData: record.returnData } : {}),
    },
  };
}

function plainMessage(message: DecodedMessage) {
  return {
    header: {
      numRequiredSignatures: message.header.numSignerAccounts,
      numReadonlySignedAccounts: message.header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: message.header.numReadonlyNonSignerAccounts,
    },
    accountKeys: message.accountKeys,
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      programIdIndex: programAddressIndex,
      accounts: accountIndices,
      data: getBase58Decoder().decode(data),
      stackHeight: 1,
    })),
    ...(message.version === 'legacy' ? {} : { addressTableLookups: [] }),
  };
}

function parsedMessage(message: DecodedMessage) {
  const { accountKeys } = message;
  return {
    accountKeys: accountKeys.map((pubkey, index) => ({
      pubkey,
      signer: isSigner(message, index),
      writable: isWritable(message, index),
      source: 'transaction',
    })),
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices, data }) =>
      parseInstruction({
        programId: accountKeys[programAddressIndex] ?? '',
        accounts: accountIndices.map((index) => accountKeys[index] ?? ''),
        data: getBase58Decoder().decode(data),
        stackHeight: 1,
      }),
    ),
    ...(message.version === 'legacy' ? {} : { addressTableLookups: [] }),
  };
}
