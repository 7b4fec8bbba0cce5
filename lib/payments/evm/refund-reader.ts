import { getAddress, type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem';
import type { PaymentsReading } from '@/lib/payments/incoming-payment';
import type { EvmNetwork, Offer } from '@/lib/payments/networks';
import {
  type AcceptedTransfer,
  isBeforePayment,
  type RefundNames,
  type RefundReader,
  type RefundTransfer,
  type SignatureProblem,
  type SignedTransfer,
  searchMax,
  type TransferMismatch,
  type TransferReading,
  type WalletTransfer,
} from '@/lib/payments/refund-transfer';
import type { EvmChain } from './chain';
import { incomingPayments } from './incoming-payments';
import { acceptAuthorization, authorizationToSign } from './refund-authorization';
import { tokenAbi } from './token';

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

  async readPayments(transactionHash: string): Promise<PaymentsReading> {
    const receipt = await this.#chain.agreedReceipt(transactionHash as Hex);
    if (receipt === 'unclear') return { kind: 'unclear' };
    if (receipt === null) return { kind: 'absent' };
    const { blockNumber, blockHash, status } = receipt;
    return {
      kind: 'found',
      payments: status === 'success' ? incomingPayments(receipt, this.#offer) : [],
      block: { number: blockNumber, hash: blockHash },
      isFinal: (await this.height()) >= blockNumber + BigInt(this.#offer.finalityBlocks),
    };
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
    for (let start = sinceHeight; found.size < searchMax; start += searchBlocks) {
      const end = start + searchBlocks - 1n;
      const isLast = end >= latest;
      const logs = await this.#chain.everyAnswer((client) =>
        client.getContractEvents({
          address: this.#chain.token,
          abi: tokenAbi,
          eventName: 'Transfer',
          args: { from: [...this.#treasury], to: recipient as Hex },
          fromBlock: start,
          // What a node has beyond the others counts too.
          toBlock: isLast ? 'latest' : end,
          strict: true,
        }),
      );
      for (const { args, transactionHash } of logs.flat()) {
        if (args.value === amountAtomic) found.add(transactionHash);
      }
      if (isLast) break;
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

  /** By the clock of the chain, which is the one that the token reads. */
  async isPast(signableUntil: Date): Promise<boolean> {
    const blocks = await this.#chain.everyAnswer((client) => client.getBlock());
    return blocks.every(({ timestamp }) => Number(timestamp) * 1_000 >= signableUntil.getTime());
  }

  /** The token carries out one authorization for a call. */
  async canSignAgain(): Promise<boolean> {
    return true;
  }

  async walletTransfer(
    transfer: RefundTransfer,
    { paidCallId }: RefundNames,
    signableUntil: Date,
  ): Promise<WalletTransfer> {
    const validBefore = Math.floor(signableUntil.getTime() / 1_000);
    return {
      family: 'evm',
      chainId: this.#offer.network.chainId,
      from: this.#offer.payTo,
      typedData: authorizationToSign(this.#offer, transfer, paidCallId, validBefore),
      validBefore,
    };
  }

  async acceptSigned(
    transfer: RefundTransfer,
    { paidCallId }: RefundNames,
    signed: SignedTransfer,
  ): Promise<AcceptedTransfer | SignatureProblem> {
    if (signed.family !== 'evm') return 'wallet_changed_transfer';
    const data = acceptAuthorization(this.#offer, transfer, paidCallId, signed);
    if (data === null) return 'not_signed_by_treasury';
    return { family: 'evm', to: this.#chain.token, data };
  }
}
