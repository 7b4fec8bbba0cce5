import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  type Address,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
} from '@solana/kit';

const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';
const memoPrograms = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];
const lamportsPerSignature = 5_000;
const defaultComputeUnitsPerInstruction = 200_000;

export type CompiledInstruction = {
  programAddressIndex: number;
  accountIndices: readonly number[];
  data: ReadonlyUint8Array;
};

export type DecodedMessage = {
  version: 'legacy' | number;
  header: {
    numSignerAccounts: number;
    numReadonlySignerAccounts: number;
    numReadonlyNonSignerAccounts: number;
  };
  accountKeys: readonly Address[];
  blockhash: string;
  instructions: readonly CompiledInstruction[];
};

export type DecodedTransaction = {
  /** The form that LiteSVM takes. */
  transaction: ReturnType<ReturnType<typeof getTransactionDecoder>['decode']>;
  message: DecodedMessage;
  /** The first signature, which identifies the transaction. */
  signature: string;
  signatures: readonly string[];
  /** Identifies duplicates: other signatures on the same message do not make a new transaction. */
  messageHash: string;
};

/** Decodes a legacy or version 0 message; throws for any other. Does not resolve address lookup tables. */
export function decodeMessage(bytes: ReadonlyUint8Array): DecodedMessage {
  const compiled = getCompiledTransactionMessageDecoder().decode(bytes);
  if (!('instructions' in compiled)) throw new Error('Unsupported message version.');
  return {
    version: compiled.version,
    header: compiled.header,
    accountKeys: compiled.staticAccounts,
    blockhash: compiled.lifetimeToken,
    instructions: compiled.instructions.map((instruction) => ({
      programAddressIndex: instruction.programAddressIndex,
      accountIndices: instruction.accountIndices ?? [],
      data: instruction.data ?? new Uint8Array(),
    })),
  };
}

/** Decodes a transaction; throws if the bytes are not one. */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  const transaction = getTransactionDecoder().decode(wire);
  const message = decodeMessage(transaction.messageBytes);
  const signatures = Object.values(transaction.signatures).map((bytes) =>
    getBase58Decoder().decode(bytes ?? new Uint8Array(64)),
  );
  const [signature] = signatures;
  if (signature === undefined) throw new Error('A transaction has at least one signature.');
  const messageHash = createHash('sha256').update(Uint8Array.from(transaction.messageBytes)).digest('hex');
  return { transaction, message, signature, signatures, messageHash };
}

/** Whether every required signature is present and valid (Ed25519 over the message). */
export function areSignaturesValid({ transaction }: DecodedTransaction): boolean {
  const message = Uint8Array.from(transaction.messageBytes);
  return Object.entries(transaction.signatures).every(([signer, signature]) => {
    if (!signature) return false;
    const x = Buffer.from(getAddressEncoder().encode(signer as Address)).toString('base64url');
    try {
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return verify(null, message, key, Uint8Array.from(signature));
    } catch {
      return false;
    }
  });
}

/** Whether the account at this index must sign: signers come first. */
export function isSigner(message: DecodedMessage, index: number): boolean {
  return index < message.header.numSignerAccounts;
}

/** Whether the account at this index is writable: the last signers and the last other accounts are read-only. */
export function isWritable(message: DecodedMessage, index: number): boolean {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  if (index < numSignerAccounts) return index < numSignerAccounts - numReadonlySignerAccounts;
  return index < message.accountKeys.length - numReadonlyNonSignerAccounts;
}

/** The fee in lamports: a base fee per signature, and the priority fee for the requested compute units. */
export function feeOf(message: DecodedMessage): number {
  let unitLimit: number | undefined;
  let microLamportsPerUnit = 0n;
  let otherInstructions = 0;
  for (const { programAddressIndex, data } of message.instructions) {
    if (message.accountKeys[programAddressIndex] !== computeBudgetProgram) {
      otherInstructions += 1;
      continue;
    }
    const view = Buffer.from(data);
    if (view[0] === 2 && view.length >= 5) unitLimit = view.readUInt32LE(1);
    if (view[0] === 3 && view.length >= 9) microLamportsPerUnit = view.readBigUInt64LE(1);
  }
  const units = BigInt(
    Math.min(unitLimit ?? otherInstructions * defaultComputeUnitsPerInstruction, 1_400_000),
  );
  const priorityFee = (units * microLamportsPerUnit + 999_999n) / 1_000_000n;
  return message.header.numSignerAccounts * lamportsPerSignature + Number(priorityFee);
}

/** The memos of a message in the form of getSignaturesForAddress. */
export function memoOf(message: DecodedMessage): string | null {
  const memos = message.instructions
    .filter(({ programAddressIndex }) =>
      memoPrograms.includes(message.accountKeys[programAddressIndex] ?? ''),
    )
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length > 0 ? memos.join('; ') : null;
}
