import { ComputeBudgetProgram, type VersionedTransaction } from '@solana/web3.js';

const lamportsPerSignature = 5_000n;
const microLamportsPerLamport = 1_000_000n;
/** The layouts of SetComputeUnitLimit (units, u32) and SetComputeUnitPrice (micro-lamports, u64), little endian. */
const setComputeUnitLimit = { discriminator: 2, dataBytes: 5 } as const;
const setComputeUnitPrice = { discriminator: 3, dataBytes: 9 } as const;

/**
 * What a transaction costs its fee payer once it is in a block, even if it fails: the base fee of each signature, and the
 * priority fee for all compute units that it requested (https://solana.com/docs/core/fees). A transaction without a limit of
 * its own has no priority fee here; the exact scheme requires a limit.
 * @returns lamports
 */
export function transactionFee({ message }: VersionedTransaction): bigint {
  const program = message.staticAccountKeys.findIndex((key) => key.equals(ComputeBudgetProgram.programId));
  const budget = message.compiledInstructions
    .filter(({ programIdIndex }) => programIdIndex === program)
    .map(({ data }) => Buffer.from(data));
  const find = ({ discriminator, dataBytes }: { discriminator: number; dataBytes: number }) =>
    budget.find((data) => data[0] === discriminator && data.length === dataBytes);
  const units = BigInt(find(setComputeUnitLimit)?.readUInt32LE(1) ?? 0);
  const price = find(setComputeUnitPrice)?.readBigUInt64LE(1) ?? 0n;
  const priority = (units * price + microLamportsPerLamport - 1n) / microLamportsPerLamport;
  return lamportsPerSignature * BigInt(message.header.numRequiredSignatures) + priority;
}
