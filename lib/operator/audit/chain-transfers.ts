import { Connection, PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
import { createPublicClient, getAddress, type Hex, http, type PublicClient } from 'viem';
import { incomingPayments } from '@/lib/payments/evm/evm-incoming-payments';
import { tokenAbi } from '@/lib/payments/evm/usdc-token';
import { isEvmOffer, type NetworkName, type Offer } from '@/lib/payments/network-offers';
import {
  type BalanceChange,
  balanceChanges,
  incomingPayment,
} from '@/lib/payments/solana/solana-incoming-payments';

/** A payment to us that is on chain, with what identifies it in the ledger. */
export interface ChainTransfer {
  readonly network: NetworkName;
  /** The token, as the offer names it. */
  readonly asset: string;
  /** Checksummed EVM address; null on Solana, where the message alone identifies the payment. */
  readonly payer: string | null;
  readonly authorization: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string;
  /** Its block; on Solana, its slot. */
  readonly height: bigint;
}

/** A transfer out of one of our treasury addresses. */
export interface OutgoingTransfer {
  readonly network: NetworkName;
  readonly asset: string;
  /** Checksummed EVM address, or the base58 owner of the Solana account. */
  readonly recipient: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string;
  /** As in `TransferLocation`. */
  readonly transferIndex: number;
  /** Its block; on Solana, its slot. */
  readonly height: bigint;
}

/** Some transfers of a network, in both directions. */
export interface TransferPage {
  readonly incoming: readonly ChainTransfer[];
  readonly outgoing: readonly OutgoingTransfer[];
}

/** What one node reports about a network. */
export interface NodeTransfers {
  /** The newest block that the node had before it was asked for transfers. */
  readonly height: bigint;
  readonly pages: AsyncIterable<TransferPage>;
}

const logRangeBlocks = 9_000n;
/** Fetched in one batch. One by one, a million calls would take most of an hour. */
const receiptsAtOnce = 20;

/**
 * Every authorized transfer to our payee, and every transfer out of our treasury, since a block, page by page, as one of the
 * network's nodes reports them.
 * @throws when the node has not reached that block, or does not answer, even while the pages are read
 */
export async function nodeTransfers(offer: Offer, rpcUrl: string, fromBlock: bigint): Promise<NodeTransfers> {
  if (isEvmOffer(offer)) {
    const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) });
    const height = await client.getBlockNumber();
    // Otherwise every payment would seem to be missing.
    if (height < fromBlock) throw new Error(`${offer.network.name} has no block ${fromBlock} yet`);
    return { height, pages: evmTransfers(client, offer, { fromBlock, toBlock: height }) };
  }
  const connection = new Connection(rpcUrl, 'confirmed');
  return { height: BigInt(await connection.getSlot()), pages: solanaTransfers(connection, offer) };
}

async function* evmTransfers(
  client: PublicClient,
  offer: Offer,
  { fromBlock, toBlock: latest }: { readonly fromBlock: bigint; readonly toBlock: bigint },
): AsyncGenerator<TransferPage> {
  const { asset } = offer;
  const network = offer.network.name;
  for (let start = fromBlock; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const range = { fromBlock: start, toBlock: end < latest ? end : latest };
    const token = { address: getAddress(asset), abi: tokenAbi, eventName: 'Transfer' } as const;
    const treasury = offer.treasury.map((address) => getAddress(address));
    const [logs, sent] = await Promise.all([
      client.getContractEvents({ ...token, ...range, args: { to: offer.payTo as Hex }, strict: true }),
      client.getContractEvents({ ...token, ...range, args: { from: treasury }, strict: true }),
    ]);
    const outgoing = sent.map(({ args, transactionHash, logIndex, blockNumber }) => ({
      network,
      asset,
      recipient: getAddress(args.to),
      amountAtomic: args.value,
      transactionHash,
      transferIndex: logIndex,
      height: blockNumber,
    }));
    if (outgoing.length > 0) yield { incoming: [], outgoing };
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
    for (let first = 0; first < hashes.length; first += receiptsAtOnce) {
      const fetched = hashes
        .slice(first, first + receiptsAtOnce)
        .map((hash) => client.getTransactionReceipt({ hash }));
      const incoming = (await Promise.all(fetched)).flatMap((receipt) =>
        incomingPayments(receipt, offer).map((payment) => ({
          ...payment,
          network,
          asset,
          transactionHash: receipt.transactionHash,
          height: receipt.blockNumber,
        })),
      );
      yield { incoming, outgoing: [] };
    }
  }
}

async function* solanaTransfers(connection: Connection, offer: Offer): AsyncGenerator<TransferPage> {
  const mint = new PublicKey(offer.asset);
  for (const owner of offer.treasury) {
    const { value: accounts } = await connection.getTokenAccountsByOwner(new PublicKey(owner), { mint });
    for (const { pubkey } of accounts) {
      for await (const transactions of transactionsOf(connection, pubkey)) {
        yield {
          incoming: owner === offer.payTo ? transactions.flatMap((found) => paidIn(found, offer)) : [],
          outgoing: transactions.flatMap((found) => sentIn(found, offer)),
        };
      }
    }
  }
}

/** The transactions of an account that did not fail, a page at a time. */
async function* transactionsOf(
  connection: Connection,
  account: PublicKey,
): AsyncGenerator<VersionedTransactionResponse[]> {
  let before: string | undefined;
  for (;;) {
    const page = await connection.getSignaturesForAddress(account, { before, limit: 1_000 });
    const transactions: VersionedTransactionResponse[] = [];
    for (const { signature, err } of page) {
      const config = { maxSupportedTransactionVersion: 0 };
      const found = err ? null : await connection.getTransaction(signature, config);
      if (found) transactions.push(found);
    }
    yield transactions;
    before = page.at(-1)?.signature;
    if (page.length < 1_000) break;
  }
}

/** The payment in a transaction. Its message identifies it and names its payer and amount. */
function paidIn(found: VersionedTransactionResponse, offer: Offer): ChainTransfer[] {
  const payment = incomingPayment(found, offer);
  if (!payment) return [];
  return [
    {
      network: offer.network.name,
      asset: offer.asset,
      payer: null,
      authorization: payment.authorization,
      amountAtomic: payment.amountAtomic,
      transactionHash: signatureOf(found),
      height: BigInt(found.slot),
    },
  ];
}

/** What others gained in a transaction in which our treasury lost something. */
function sentIn(
  found: VersionedTransactionResponse,
  { network, asset, treasury }: Offer,
): OutgoingTransfer[] {
  const changes = balanceChanges(found, asset);
  const isOurs = ({ owner }: BalanceChange) => owner !== undefined && treasury.includes(owner);
  if (!changes.some((change) => isOurs(change) && change.atomic < 0n)) return [];
  return changes
    .filter((change) => !isOurs(change) && change.atomic > 0n)
    .map(({ owner, atomic, index }) => ({
      network: network.name,
      asset,
      recipient: owner ?? '',
      amountAtomic: atomic,
      transactionHash: signatureOf(found),
      transferIndex: index,
      height: BigInt(found.slot),
    }));
}

function signatureOf({ transaction }: VersionedTransactionResponse): string {
  return transaction.signatures[0] ?? '';
}
