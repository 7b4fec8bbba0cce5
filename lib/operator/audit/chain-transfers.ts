import { createHash } from 'node:crypto';
import { Connection, PublicKey } from '@solana/web3.js';
import {
  createPublicClient,
  getAddress,
  type Hex,
  http,
  isAddressEqual,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import { tokenAbi } from '@/lib/payments/evm/token';
import { isEvmOffer, type NetworkName, type Offer } from '@/lib/payments/networks';

/** A payment to us that is on chain, with what identifies it in the ledger. */
export interface ChainTransfer {
  readonly network: NetworkName;
  /** The token, as the offer names it. */
  readonly asset: string;
  /** Checksummed EVM address; null on Solana, where the message alone identifies the payment. */
  readonly payer: string | null;
  readonly authorization: string;
  readonly amountAtomic: bigint | null;
  readonly transactionHash: string;
}

const logRangeBlocks = 9_000n;
/** Fetched in one batch. One by one, a million calls would take most of an hour. */
const receiptsAtOnce = 20;

/** Every authorized transfer to our payee since a block, page by page. */
export function chainTransfers(offer: Offer, fromBlock: bigint): AsyncGenerator<ChainTransfer[]> {
  return isEvmOffer(offer) ? evmTransfers(offer, fromBlock) : solanaTransfers(offer);
}

async function* evmTransfers(offer: Offer, fromBlock: bigint): AsyncGenerator<ChainTransfer[]> {
  const client = createPublicClient({ transport: http(offer.rpcUrls[0], { batch: true }) });
  const latest = await client.getBlockNumber();
  for (let start = fromBlock; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const logs = await client.getContractEvents({
      address: getAddress(offer.asset),
      abi: tokenAbi,
      eventName: 'Transfer',
      args: { to: offer.payTo as Hex },
      fromBlock: start,
      toBlock: end < latest ? end : latest,
      strict: true,
    });
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
    for (let first = 0; first < hashes.length; first += receiptsAtOnce) {
      const fetched = hashes
        .slice(first, first + receiptsAtOnce)
        .map((hash) => client.getTransactionReceipt({ hash }));
      yield (await Promise.all(fetched)).flatMap((receipt) => authorizedIn(receipt, offer));
    }
  }
}

/** The token logs the use of an authorization immediately before the transfer. */
function authorizedIn({ logs, transactionHash }: TransactionReceipt, offer: Offer): ChainTransfer[] {
  const ofToken = logs.filter(({ address }) => isAddressEqual(address, offer.asset as Hex));
  const events = parseEventLogs({ abi: tokenAbi, logs: ofToken, strict: true });
  return events.flatMap((used, index) => {
    const transfer = events[index + 1];
    if (used.eventName !== 'AuthorizationUsed' || transfer?.eventName !== 'Transfer') return [];
    if (!isAddressEqual(transfer.args.to, offer.payTo as Hex)) return [];
    return {
      network: offer.network.name,
      asset: offer.asset,
      payer: getAddress(used.args.authorizer),
      authorization: used.args.nonce.toLowerCase(),
      amountAtomic: transfer.args.value,
      transactionHash,
    };
  });
}

async function* solanaTransfers(offer: Offer): AsyncGenerator<ChainTransfer[]> {
  const connection = new Connection(offer.rpcUrls[0] ?? '', 'confirmed');
  const { value: accounts } = await connection.getTokenAccountsByOwner(new PublicKey(offer.payTo), {
    mint: new PublicKey(offer.asset),
  });
  for (const { pubkey } of accounts) {
    let before: string | undefined;
    for (;;) {
      const page = await connection.getSignaturesForAddress(pubkey, { before, limit: 1_000 });
      const transfers: ChainTransfer[] = [];
      for (const { signature, err } of page) {
        const found = err
          ? null
          : await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
        if (!found) continue;
        const message = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
        transfers.push({
          network: 'solana-mainnet',
          asset: offer.asset,
          payer: null,
          authorization: message,
          amountAtomic: null,
          transactionHash: signature,
        });
      }
      yield transfers;
      before = page.at(-1)?.signature;
      if (page.length < 1_000) break;
    }
  }
}
