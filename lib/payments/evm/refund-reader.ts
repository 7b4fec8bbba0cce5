import {
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';
import {
  isBeforePayment,
  type RefundReader,
  type RefundTransfer,
  searchMax,
  type TransferMismatch,
  type TransferReading,
  type WalletTransfer,
} from '@/lib/payments/refund-transfer';
import type { EvmChain } from './chain';
import { tokenAbi } from './token';

const transferAbi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

/** Nodes limit how many blocks a search covers. */
const searchBlocks = 9_000n;

/** Reads refunds from an EVM network. */
export class EvmRefundReader implements RefundReader {
  readonly #chain: EvmChain;
  readonly #offer: Offer<EvmNetwork>;
  readonly #treasury: readonly Hex[];

  constructor(chain: EvmChain) {
    this.#chain = chain;
    this.#offer = chain.offer;
    this.#treasury = chain.offer.treasury.map((address) => getAddress(address));
  }

  parseHash(text: string): string | null {
    return /^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : null;
  }

  /** The lowest of the nodes' heights: none of them is asked about a block that it does not have. */
  async height(): Promise<bigint> {
    const heights = await this.#chain.everyAnswer((client) => client.getBlockNumber({ cacheTime: 0 }));
    return BigInt(Math.min(...heights.map(Number)));
  }

  async read(transactionHash: string, transfer: RefundTransfer): Promise<TransferReading> {
    const receipt = await this.#chain.agreedReceipt(transactionHash as Hex);
    if (receipt === 'unclear') return { kind: 'unclear' };
    if (receipt === null) return { kind: 'absent' };
    const { blockNumber, blockHash } = receipt;
    const isFinal = (await this.height()) >= blockNumber + BigInt(this.#offer.finalityBlocks);
    if (receipt.status !== 'success') return { kind: 'mismatch', reason: 'transaction_failed', isFinal };
    const at = transfer.paidInBlock === null ? await this.#timeOf(blockNumber) : null;
    if (isBeforePayment(transfer, { number: blockNumber, at })) {
      return { kind: 'mismatch', reason: 'before_payment', isFinal };
    }
    const matches = this.#matchesIn(receipt, transfer);
    if (typeof matches === 'string') return { kind: 'mismatch', reason: matches, isFinal };
    return { kind: 'found', indexes: matches, block: { number: blockNumber, hash: blockHash }, isFinal };
  }

  async #timeOf(blockNumber: bigint): Promise<Date> {
    const { timestamp } = await this.#chain.client.getBlock({ blockNumber });
    return new Date(Number(timestamp) * 1_000);
  }

  /** The indexes of the logs that are the transfer, or what the nearest one lacks. */
  #matchesIn(
    { logs }: TransactionReceipt,
    { recipient, amountAtomic }: RefundTransfer,
  ): number[] | TransferMismatch {
    const ofToken = logs.filter(({ address }) => isAddressEqual(address, this.#chain.token));
    const transfers = parseEventLogs({ abi: tokenAbi, eventName: 'Transfer', logs: ofToken, strict: true });
    if (transfers.length === 0) return 'wrong_token';
    const ours = transfers.filter(({ args }) =>
      this.#treasury.some((address) => isAddressEqual(address, args.from)),
    );
    if (ours.length === 0) return 'wrong_sender';
    const toRecipient = ours.filter(({ args }) => isAddressEqual(args.to, recipient as Hex));
    if (toRecipient.length === 0) return 'wrong_recipient';
    const exact = toRecipient.filter(({ args }) => args.value === amountAtomic);
    return exact.length === 0 ? 'wrong_amount' : exact.map(({ logIndex }) => logIndex);
  }

  async search(
    { recipient, amountAtomic }: RefundTransfer,
    _: string,
    sinceHeight: bigint,
  ): Promise<string[]> {
    const latest = await this.height();
    const found = new Set<string>();
    for (let start = sinceHeight; start <= latest && found.size < searchMax; start += searchBlocks) {
      const end = start + searchBlocks - 1n;
      const logs = await this.#chain.everyAnswer((client) =>
        client.getContractEvents({
          address: this.#chain.token,
          abi: tokenAbi,
          eventName: 'Transfer',
          args: { from: [...this.#treasury], to: recipient as Hex },
          fromBlock: start,
          toBlock: end < latest ? end : latest,
          strict: true,
        }),
      );
      for (const { args, transactionHash } of logs.flat()) {
        if (args.value === amountAtomic) found.add(transactionHash);
      }
    }
    return [...found].slice(0, searchMax);
  }

  async mayBePending(): Promise<boolean> {
    const pending = await this.#chain.everyAnswer((client) =>
      Promise.all(
        this.#treasury.map(async (address) => {
          const [sent, mined] = await Promise.all([
            client.getTransactionCount({ address, blockTag: 'pending' }),
            client.getTransactionCount({ address, blockTag: 'latest' }),
          ]);
          return sent > mined;
        }),
      ),
    );
    return pending.flat().includes(true);
  }

  async hasCode(recipient: string): Promise<boolean> {
    return (await this.#chain.client.getCode({ address: recipient as Hex })) !== undefined;
  }

  async walletTransfer({ recipient, amountAtomic }: RefundTransfer): Promise<WalletTransfer> {
    const args = [recipient as Hex, amountAtomic] as const;
    return {
      family: 'evm',
      chainId: this.#offer.network.chainId,
      from: this.#offer.payTo,
      to: this.#chain.token,
      data: encodeFunctionData({ abi: transferAbi, functionName: 'transfer', args }),
    };
  }
}
