import { getAddressDecoder, getBase58Decoder } from '@solana/kit';
import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm';
import { type TransactionError, toTransactionError } from './transaction-error';

export type InnerInstruction = {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number;
};

/** The result of running a transaction, in the form of the JSON-RPC interface. */
export type Outcome = {
  error: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  innerInstructions: { index: number; instructions: InnerInstruction[] }[];
  returnData: { programId: string; data: [string, 'base64'] } | null;
};

/** Converts LiteSVM's result. */
export function toOutcome(result: TransactionMetadata | FailedTransactionMetadata): Outcome {
  const meta = result instanceof FailedTransactionMetadata ? result.meta() : result;
  return {
    error: result instanceof FailedTransactionMetadata ? toTransactionError(result.err()) : null,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    innerInstructions: toInnerInstructions(meta),
    returnData: toReturnData(meta),
  };
}

function toInnerInstructions(meta: TransactionMetadata): Outcome['innerInstructions'] {
  return meta
    .innerInstructions()
    .map((list, index) => ({
      index,
      instructions: list.map((inner) => ({
        programIdIndex: inner.instruction().programIdIndex(),
        accounts: [...inner.instruction().accounts()],
        data: getBase58Decoder().decode(inner.instruction().data()),
        stackHeight: inner.stackHeight(),
      })),
    }))
    .filter(({ instructions }) => instructions.length > 0);
}

function toReturnData(meta: TransactionMetadata): Outcome['returnData'] {
  const returned = meta.returnData();
  if (returned.data().length === 0) return null;
  return {
    programId: getAddressDecoder().decode(returned.programId()),
    data: [Buffer.from(returned.data()).toString('base64'), 'base64'],
  };
}
