import {
  getAddress,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  TransactionNotFoundError,
  type TransactionReceipt,
} from 'viem';
import type { PaymentsReading } from '@/lib/payments/incoming-payment';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import {
  type AcceptedTransfer,
  type CandidateTransfer,
  isBeforePayment,
  type RefundReader,
  type RefundTransfer,
  type SignatureEnd,
  type SignatureProblem,
  type SignedTransfer,
  searchMax,
  type TransferMismatch,
  type TransferReading,
  type WalletTransfer,
} from '@/lib/payments/refund-transfer';
import type { EvmChain } from './evm-chain';
import { incomingPayments } from './evm-incoming-payments';
import { acceptAuthorization, authorizationToSign, refundNonce } from './refund-authorization';
import { tokenAbi } from './usdc-token';

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

  /** The lowest of the nodes' heights, so that no node is asked about a block that it does not have. */
  async height(): Promise<bigint> {
    const heights = await this.#chain.everyAnswer((client) => client.getBlockNumber({ cacheTime: 0 }));
    return BigInt(Math.min(...heights.map(Number)));
  }

  async read(transactionHash: string, transfer: RefundTransfer): Promise<TransferReading> {
    const receipt = await this.#chain.agreedReceipt(transactionHash as Hex);
    if (receipt === 'unclear') return { kind: 'unclear' };
    if (receipt === null) return { kind: 'absent', isWaiting: await this.#isKnown(transactionHash as Hex) };
    const { blockNumber, blockHash } = receipt;
    const isFinal = (await this.height()) >= blockNumber + BigInt(this.#offer.finalityBlocks);
    if (receipt.status !== 'success') return { kind: 'mismatch', reason: 'transaction_failed', isFinal };
    const at = transfer.paidInBlock === null ? await this.#timeOf(blockNumber) : null;
    if (isBeforePayment(transfer, { number: blockNumber, at })) {
      return { kind: 'mismatch', reason: 'before_payment', isFinal };
    }
    const matches = this.#matchesIn(receipt, transfer);
    if (typeof matches === 'string') return { kind: 'mismatch', reason: matches, isFinal };
    return { kind: 'found', transfers: matches, block: { number: blockNumber, hash: blockHash }, isFinal };
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

  /** Whether any node has a transaction, in a block or not. */
  async #isKnown(hash: Hex): Promise<boolean> {
    const known = await this.#chain.everyAnswer((client) =>
      client.getTransaction({ hash }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof TransactionNotFoundError) return false;
          throw error;
        },
      ),
    );
    return known.includes(true);
  }

  async #timeOf(blockNumber: bigint): Promise<Date> {
    const { timestamp } = await this.#chain.client.getBlock({ blockNumber });
    return new Date(Number(timestamp) * 1_000);
  }

  /** The logs that match the transfer, or why the closest one does not. */
  #matchesIn(
    receipt: TransactionReceipt,
    { paidCallId, recipient, amountAtomic }: RefundTransfer,
  ): CandidateTransfer[] | TransferMismatch {
    const transfers = transfersIn(receipt, this.#chain.token);
    if (transfers.length === 0) return 'wrong_token';
    const isOurs = ({ args }: TokenTransfer) =>
      this.#treasury.some((address) => isAddressEqual(address, args.from));
    const ours = transfers.filter(isOurs);
    if (ours.length === 0) return 'wrong_sender';
    const toRecipient = ours.filter(({ args }) => isAddressEqual(args.to, recipient as Hex));
    if (toRecipient.length === 0) return 'wrong_recipient';
    const exact = toRecipient.filter(({ args }) => args.value === amountAtomic);
    return exact.length === 0
      ? 'wrong_amount'
      : exact.map(({ logIndex, nonce }) => ({ index: logIndex, signedFor: signedFor(nonce, paidCallId) }));
  }

  async search(transfer: RefundTransfer, _: string, sinceHeight: bigint): Promise<string[]> {
    const { recipient, amountAtomic } = transfer;
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
          // Blocks that only some nodes have count too.
          toBlock: isLast ? 'latest' : end,
          strict: true,
        }),
      );
      for (const { args, transactionHash } of logs.flat()) {
        if (args.value === amountAtomic) found.add(transactionHash);
      }
      if (isLast) break;
    }
    const earlier = await this.#searchBefore(sinceHeight, transfer);
    return [...new Set([...earlier, ...found])].slice(0, searchMax);
  }

  /**
   * A reorganization may have put the transfer into an earlier block than the newest one when the refund began. There, only the
   * nonce of the refund's own authorizations distinguishes it from earlier transfers.
   */
  async #searchBefore(sinceHeight: bigint, { paidCallId }: RefundTransfer): Promise<string[]> {
    const margin = BigInt(this.#offer.finalityBlocks);
    if (sinceHeight === 0n) return [];
    const logs = await this.#chain.everyAnswer((client) =>
      client.getContractEvents({
        address: this.#chain.token,
        abi: tokenAbi,
        eventName: 'AuthorizationUsed',
        args: { authorizer: [...this.#treasury], nonce: refundNonce(paidCallId) },
        fromBlock: sinceHeight > margin ? sinceHeight - margin : 0n,
        toBlock: sinceHeight - 1n,
        strict: true,
      }),
    );
    return logs.flat().map(({ transactionHash }) => transactionHash);
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

  /** Judged by the chain's clock, which the token uses too. */
  async isPast({ until }: SignatureEnd): Promise<boolean> {
    if (until === null) return true;
    const blocks = await this.#chain.everyAnswer((client) => client.getBlock());
    return blocks.every(({ timestamp }) => Number(timestamp) * 1_000 >= until.getTime());
  }

  async signedUntilHeight(): Promise<bigint | null> {
    return null;
  }

  /** Always possible, because the token carries out only one authorization for a call. */
  async canSignAgain(): Promise<boolean> {
    return true;
  }

  async walletTransfer(transfer: RefundTransfer, _: string, signableUntil: Date): Promise<WalletTransfer> {
    const validBefore = Math.floor(signableUntil.getTime() / 1_000);
    return {
      family: 'evm',
      chainId: this.#offer.network.chainId,
      from: this.#offer.payTo,
      typedData: authorizationToSign(this.#offer, transfer, validBefore),
      validBefore,
    };
  }

  async acceptSigned(
    transfer: RefundTransfer,
    _: string,
    signed: SignedTransfer,
  ): Promise<AcceptedTransfer | SignatureProblem> {
    if (signed.family !== 'evm') return 'wallet_changed_transfer';
    const data = acceptAuthorization(this.#offer, transfer, signed);
    if (data === null) return 'not_signed_by_treasury';
    return { family: 'evm', to: this.#chain.token, data };
  }
}

/** A transfer of our token in a block. */
interface TokenTransfer {
  readonly args: { readonly from: Hex; readonly to: Hex; readonly value: bigint };
  readonly logIndex: number;
  /** The nonce of the authorization that it carried out; null without one. */
  readonly nonce: Hex | null;
}

/** The token logs the use of an authorization right before its transfer. */
function transfersIn({ logs }: TransactionReceipt, token: Hex): TokenTransfer[] {
  const ofToken = logs.filter(({ address }) => isAddressEqual(address, token));
  const eventName = ['AuthorizationUsed', 'Transfer'] as const;
  const events = parseEventLogs({ abi: tokenAbi, eventName: [...eventName], logs: ofToken, strict: true });
  return events.flatMap((event, position) => {
    if (event.eventName !== 'Transfer') return [];
    const { args, logIndex } = event;
    const before = events[position - 1];
    const isAuthorized =
      before?.eventName === 'AuthorizationUsed' && isAddressEqual(before.args.authorizer, args.from);
    return [{ args, logIndex, nonce: isAuthorized ? before.args.nonce : null }];
  });
}

function signedFor(nonce: Hex | null, paidCallId: string): CandidateTransfer['signedFor'] {
  if (nonce === null) return 'unknown';
  return nonce === refundNonce(paidCallId) ? 'this_call' : 'another';
}
