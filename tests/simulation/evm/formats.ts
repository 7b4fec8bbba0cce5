import type { Hex } from 'viem';
import type { Block, Mined } from './blocks';
import type { Transaction } from './raw-transaction';
import { hexOf } from './words';

/** JSON-RPC's forms of blocks, transactions, receipts and logs. */

const noBloom: Hex = `0x${'0'.repeat(512)}`;
const zeroWord: Hex = `0x${'0'.repeat(64)}`;
const nobody: Hex = `0x${'0'.repeat(40)}`;

export function blockAnswer(
  { number, hash, parent, timestamp, baseFeePerGas, gasUsed, transactions }: Block,
  gasLimit: number,
) {
  return {
    number: hexOf(number),
    hash,
    parentHash: parent?.hash ?? zeroWord,
    timestamp: hexOf(timestamp),
    baseFeePerGas: hexOf(baseFeePerGas),
    gasUsed: hexOf(gasUsed),
    gasLimit: hexOf(gasLimit),
    transactions: transactions.map(({ transaction }) => transaction.hash),
    ...{
      difficulty: '0x0',
      totalDifficulty: '0x0',
      size: '0x0',
      extraData: '0x',
      nonce: '0x0000000000000000',
    },
    ...{ logsBloom: noBloom, miner: nobody, mixHash: zeroWord, sha3Uncles: zeroWord, uncles: [] },
    ...{ stateRoot: zeroWord, receiptsRoot: zeroWord, transactionsRoot: zeroWord },
  };
}

export function transactionAnswer(transaction: Transaction, at: { block: Block; mined: Mined } | null) {
  const { signature } = transaction;
  return {
    hash: transaction.hash,
    type: '0x2',
    from: transaction.from,
    to: transaction.to,
    nonce: hexOf(transaction.nonce),
    value: hexOf(transaction.value),
    input: transaction.data,
    gas: hexOf(transaction.gas),
    gasPrice: hexOf(at?.mined.effectiveGasPrice ?? transaction.maxFeePerGas),
    maxFeePerGas: hexOf(transaction.maxFeePerGas),
    maxPriorityFeePerGas: hexOf(transaction.maxPriorityFeePerGas),
    chainId: hexOf(transaction.chainId),
    accessList: [],
    ...{ v: hexOf(signature[0]), yParity: hexOf(signature[0]), r: signature[1], s: signature[2] },
    blockHash: at?.block.hash ?? null,
    blockNumber: at ? hexOf(at.block.number) : null,
    transactionIndex: at ? hexOf(at.mined.index) : null,
  };
}

export function logAnswers(block: Block, { transaction, index, logs, firstLog }: Mined) {
  return logs.map(({ address, topics, data }, position) => ({
    ...{ address, topics, data, removed: false },
    blockHash: block.hash,
    blockNumber: hexOf(block.number),
    blockTimestamp: hexOf(block.timestamp),
    transactionHash: transaction.hash,
    transactionIndex: hexOf(index),
    logIndex: hexOf(firstLog + position),
  }));
}

export function receiptAnswer(block: Block, mined: Mined) {
  const { transaction, index, isSuccess, gasUsed, effectiveGasPrice } = mined;
  const before = block.transactions.slice(0, index + 1);
  return {
    transactionHash: transaction.hash,
    transactionIndex: hexOf(index),
    blockHash: block.hash,
    blockNumber: hexOf(block.number),
    from: transaction.from,
    to: transaction.to,
    type: '0x2',
    status: isSuccess ? '0x1' : '0x0',
    gasUsed: hexOf(gasUsed),
    cumulativeGasUsed: hexOf(before.reduce((sum, one) => sum + one.gasUsed, 0)),
    effectiveGasPrice: hexOf(effectiveGasPrice),
    contractAddress: null,
    logs: logAnswers(block, mined),
    logsBloom: noBloom,
  };
}
