import { createHash } from 'node:crypto';
import { Connection, PublicKey } from '@solana/web3.js';
import { createPublicClient, getAddress, type Hex, http, isAddressEqual } from 'viem';
import { tokenAbi } from '@/lib/payments/evm/calls';
import { isEvmOffer, type NetworkName, type Offer } from '@/lib/payments/networks';

/** A payment that the chain says was made to us, with the identity that the ledger knows it by. */
export interface ChainTransfer {
  readonly network: NetworkName;
  /** Checksummed EVM address; null on Solana, where the message alone identifies the payment. */
  readonly payer: string | null;
  readonly authorization: string;
  readonly amountAtomic: bigint | null;
  readonly transactionHash: string;
}

const logRangeBlocks = 9_000n;

/** Every authorized transfer to our payee since a block, in the order of the chain. */
export async function chainTransfers(offer: Offer, fromBlock: bigint): Promise<ChainTransfer[]> {
  return isEvmOffer(offer) ? evmTransfers(offer, fromBlock) : solanaTransfers(offer);
}

async function evmTransfers(offer: Offer, fromBlock: bigint): Promise<ChainTransfer[]> {
  const client = createPublicClient({ transport: http(offer.rpcUrls[0]) });
  const latest = await client.getBlockNumber();
  const transfers: ChainTransfer[] = [];
  for (let start = fromBlock; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const logs = await client.getLogs({
      address: getAddress(offer.asset),
      events: tokenAbi.filter((entry) => entry.type === 'event'),
      fromBlock: start,
      toBlock: end < latest ? end : latest,
      strict: true,
    });
    // The token logs the use of an authorization immediately before the transfer that it allowed.
    logs.forEach((used, index) => {
      const transfer = logs[index + 1];
      if (used.eventName !== 'AuthorizationUsed' || transfer?.eventName !== 'Transfer') return;
      if (transfer.transactionHash !== used.transactionHash) return;
      if (!isAddressEqual(transfer.args.to, offer.payTo as Hex)) return;
      transfers.push({
        network: offer.network.name,
        payer: getAddress(used.args.authorizer),
        authorization: used.args.nonce.toLowerCase(),
        amountAtomic: transfer.args.value,
        transactionHash: used.transactionHash,
      });
    });
  }
  return transfers;
}

async function solanaTransfers(offer: Offer): Promise<ChainTransfer[]> {
  const connection = new Connection(offer.rpcUrls[0] ?? '', 'confirmed');
  const { value: accounts } = await connection.getTokenAccountsByOwner(new PublicKey(offer.payTo), {
    mint: new PublicKey(offer.asset),
  });
  const transfers: ChainTransfer[] = [];
  for (const { pubkey } of accounts) {
    let before: string | undefined;
    for (;;) {
      const page = await connection.getSignaturesForAddress(pubkey, { before, limit: 1_000 });
      for (const { signature, err } of page) {
        const found = err
          ? null
          : await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
        if (!found) continue;
        const message = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
        transfers.push({
          network: 'solana-mainnet',
          payer: null,
          authorization: message,
          amountAtomic: null,
          transactionHash: signature,
        });
      }
      before = page.at(-1)?.signature;
      if (page.length < 1_000) break;
    }
  }
  return transfers;
}
