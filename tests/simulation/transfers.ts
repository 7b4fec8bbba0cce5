import type { Hex } from 'viem';
import type { NetworkName } from '@/lib/payments/network-offers';
import { onAccount, type Payment } from '@/lib/payments/payment';
import type { TransactionRecord } from '@/local/solana/ledger';
import type { Block } from './evm/blocks';
import { topics } from './evm/usdc-words';
import { padded } from './evm/words';
import { price } from './payers/payer';
import type { Block as SolanaBlock } from './solana/blocks';
import type { SolanaWorld } from './solana/world';
import { settlementKeys, type World } from './world';

/** What the chains have in the end, read from their blocks. */

/** A transfer that a chain has in the end. */
export interface Transfer {
  readonly hash: string;
  readonly isOurs: boolean;
}

type Identity = Pick<Payment, 'payer' | 'authorization'>;

/** The transfers of all chains, by `keyOf` the payments that made them. */
export function transfersOf(world: World): ReadonlyMap<string, Transfer> {
  return new Map([...transfersOnBase(world), ...(world.solana ? transfersOnSolana(world.solana) : [])]);
}

export function keyOf({ payer, authorization }: Identity): string {
  return `${payer.toLowerCase()} ${authorization}`;
}

function transfersOnBase({ chain }: World): [string, Transfer][] {
  const ours = new Set(settlementKeys.map(({ address }) => address.toLowerCase()));
  const found: [string, Transfer][] = [];
  for (let block: Block | null = chain.head; block; block = block.parent)
    for (const { transaction, logs } of block.transactions)
      for (const {
        topics: [kind, payer, nonce],
      } of logs) {
        if (kind !== topics.used || !payer || !nonce) continue;
        const isOurs = ours.has(transaction.from);
        found.push([
          keyOf({ payer: `0x${payer.slice(26)}`, authorization: nonce }),
          { hash: transaction.hash, isOurs },
        ]);
      }
  return found;
}

/** Nobody but us can submit a payment there, because our fee payer has to sign it. */
function transfersOnSolana({ cluster, feePayer }: SolanaWorld): [string, Transfer][] {
  const found: [string, Transfer][] = [];
  for (let block: SolanaBlock | null = cluster.head; block; block = block.parent)
    for (const record of block.records) {
      // The fee payer signs first. Refunds are paid for by the treasury.
      if (record.accountKeys[0] !== feePayer) continue;
      const { messageHash: authorization, signature: hash } = record;
      // The program of a smart wallet may pay less, which pays for nothing.
      for (const { owner: payer, atomic } of tokenChanges(record))
        if (-atomic >= price) found.push([keyOf({ payer, authorization }), { hash, isOurs: true }]);
    }
  return found;
}

/** By how much each owner has more tokens after a transaction, in atomic USDC. */
function tokenChanges({ preTokenBalances: before, postTokenBalances: after }: TransactionRecord) {
  return after.map(({ accountIndex, owner, uiTokenAmount }) => {
    const earlier = before.find((balance) => balance.accountIndex === accountIndex);
    return { owner, atomic: BigInt(uiTokenAmount.amount) - BigInt(earlier?.uiTokenAmount.amount ?? 0) };
  });
}

/** Where a transaction is in the end. */
export interface Inclusion {
  readonly number: number;
  /** Null on Solana. */
  readonly hash: string | null;
  readonly isSuccess: boolean;
}

/** Where a chain has a transaction; null where it does not have it. */
export function inclusionOf({ chain, solana }: World, network: string, hash: string): Inclusion | null {
  if (solana?.offer.network.name === network) {
    const found = solana.cluster.view().find(hash);
    return found && { number: found.block.slot, hash: null, isSuccess: found.record.error === null };
  }
  const block = chain.blocks.blockOf(hash as Hex, chain.head);
  const mined = block?.transactions.find(({ transaction }) => transaction.hash === hash);
  return block && mined ? { number: block.number, hash: block.hash, isSuccess: mined.isSuccess } : null;
}

/** What came in on a network, less what was refunded, in atomic USDC. */
export function receivedOn({ chain, solana, payee, ownFunds }: World, network: NetworkName): bigint {
  return network === 'base' ? chain.usdcOf(payee) - ownFunds : (solana?.paid() ?? 0n);
}

/**
 * Whether a block was removed that had something of the payer: its payment, or what it did without us. Only then may a payment
 * be made after all that has failed before.
 */
export function wasDisturbed({ chain, solana }: World, { network, payer }: Payment): boolean {
  if (network === 'base') {
    const named = padded(payer);
    return chain.blocks
      .removed()
      .some(({ transactions }) =>
        transactions.some(
          ({ transaction: { from, data } }) => from === payer.toLowerCase() || data.includes(named),
        ),
      );
  }
  if (network === onAccount) return false;
  return (solana?.cluster.blocks.abandoned ?? []).some(({ records, sent }) => {
    const isOfPayer = records.some(({ accountKeys }) => accountKeys.some((key) => key === payer));
    return isOfPayer || sent.some(({ change }) => change !== undefined);
  });
}
