import { createHash } from 'node:crypto';
import { Connection, PublicKey, type VersionedTransactionResponse } from '@solana/web3.js';
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
import { type BalanceChange, balanceChanges } from '@/lib/payments/solana/balance-changes';

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

/** A transfer out of one of our treasury addresses. */
export interface OutgoingTransfer {
  readonly network: NetworkName;
  readonly asset: string;
  /** Checksummed EVM address, or the base58 owner of the Solana account. */
  readonly recipient: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string;
  /** As in Refund. */
  readonly transferIndex: number;
}

/** Some transfers of a network, in both directions. */
export interface TransferPage {
  readonly incoming: readonly ChainTransfer[];
  readonly outgoing: readonly OutgoingTransfer[];
}

const logRangeBlocks = 9_000n;
/** Fetched in one batch. One by one, a million calls would take most of an hour. */
const receiptsAtOnce = 20;

/** Every authorized transfer to our payee, and every one out of our treasury, since a block, page by page. */
export function chainTransfers(offer: Offer, fromBlock: bigint): AsyncGenerator<TransferPage> {
  return isEvmOffer(offer) ? evmTransfers(offer, fromBlock) : solanaTransfers(offer);
}

async function* evmTransfers(offer: Offer, fromBlock: bigint): AsyncGenerator<TransferPage> {
  const client = createPublicClient({ transport: http(offer.rpcUrls[0], { batch: true }) });
  const latest = await client.getBlockNumber();
  for (let start = fromBlock; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const range = { fromBlock: start, toBlock: end < latest ? end : latest };
    const token = { address: getAddress(offer.asset), abi: tokenAbi, eventName: 'Transfer' } as const;
    const treasury = offer.treasury.map((address) => getAddress(address));
    const [logs, sent] = await Promise.all([
      client.getContractEvents({ ...token, ...range, args: { to: offer.payTo as Hex }, strict: true }),
      client.getContractEvents({ ...token, ...range, args: { from: treasury }, strict: true }),
    ]);
    const outgoing = sent.map(({ args, transactionHash, logIndex }) => ({
      network: offer.network.name,
      asset: offer.asset,
      recipient: getAddress(args.to),
      amountAtomic: args.value,
      transactionHash,
      transferIndex: logIndex,
    }));
    if (outgoing.length > 0) yield { incoming: [], outgoing };
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
    for (let first = 0; first < hashes.length; first += receiptsAtOnce) {
      const fetched = hashes
        .slice(first, first + receiptsAtOnce)
        .map((hash) => client.getTransactionReceipt({ hash }));
      const incoming = (await Promise.all(fetched)).flatMap((receipt) => authorizedIn(receipt, offer));
      yield { incoming, outgoing: [] };
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

async function* solanaTransfers(offer: Offer): AsyncGenerator<TransferPage> {
  const connection = new Connection(offer.rpcUrls[0] ?? '', 'confirmed');
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

/** The payment in a transaction, if our payee has more than before. */
function paidIn(found: VersionedTransactionResponse, { network, asset, payTo }: Offer): ChainTransfer[] {
  const change = balanceChanges(found, asset)
    .filter(({ owner }) => owner === payTo)
    .reduce((sum, { atomic }) => sum + atomic, 0n);
  if (change <= 0n) return [];
  const message = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
  return [
    {
      network: network.name,
      asset,
      payer: null,
      authorization: message,
      amountAtomic: null,
      transactionHash: signatureOf(found),
    },
  ];
}

/** What others have more than before, in a transaction after which our treasury has less. */
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
    }));
}

function signatureOf({ transaction }: VersionedTransactionResponse): string {
  return transaction.signatures[0] ?? '';
}
