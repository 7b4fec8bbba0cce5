import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { createPublicClient, type Hex, http, isAddressEqual, parseAbi, parseEventLogs } from 'viem';
import { rpcCall } from '@/local/json-rpc';
import { network } from '../../support/stack';
import type { NetworkName } from '../rig/chains';
import { transfersOf } from '../rig/found';
import { messageHash, type PaidAt } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { authorizationInLedger } from './ledger';

/** A transfer to the payee, made with an authorization, as read from the chain. */
export interface Transfer {
  readonly network: PaidAt;
  readonly authorization: string;
  /** Null if no chain was involved. */
  readonly transaction: string | null;
  /** Null on Solana, where the message alone determines the amount. */
  readonly amountAtomic: bigint | null;
  /** Whether it pays out money claimed from payment channels, which is the price of many calls. */
  readonly isSweep: boolean;
}

const events = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Every transfer to the payee on an EVM network. Reads receipts, unlike the audit. */
async function evmTransfers(rig: Rig, on: NetworkName): Promise<Transfer[]> {
  const client = createPublicClient({ transport: http(rig.chainUrl(on)) });
  const logs = await client.getLogs({
    address: network(on).usdc as Hex,
    event: events[1],
    args: { to: rig.payTo.evm },
    fromBlock: BigInt(rig.fromBlocks[on] ?? 0),
  });
  const transactions = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
  const transfers = await Promise.all(
    transactions.map(async (hash) => {
      const receipt = await client.getTransactionReceipt({ hash });
      const used = parseEventLogs({ abi: events, logs: receipt.logs, eventName: 'AuthorizationUsed' });
      const moved = parseEventLogs({ abi: events, logs: receipt.logs, eventName: 'Transfer' });
      return moved.map(({ args, logIndex }): Transfer => {
        const allowed = used.find(
          (use) => use.logIndex === logIndex - 1 && use.args.authorizer === args.from,
        );
        return {
          network: on,
          authorization: allowed?.args.nonce.toLowerCase() ?? `none, in ${hash}`,
          transaction: hash,
          amountAtomic: args.value,
          isSweep: isAddressEqual(args.from, BATCH_SETTLEMENT_ADDRESS),
        };
      });
    }),
  );
  return transfers.flat();
}

async function solanaTransfers(rig: Rig, payers: readonly string[]): Promise<Transfer[]> {
  const on = 'solana-mainnet';
  const transfers = await Promise.all(
    payers.map(async (payer) =>
      Promise.all(
        (await transfersOf(rig, payer)).map(async (signature): Promise<Transfer> => {
          const { transaction } = (await rpcCall(rig.chainUrl(on), 'getTransaction', [
            signature,
            { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
          ])) as { transaction: [string, string] };
          const authorization = messageHash(Buffer.from(transaction[0], 'base64'));
          return { network: on, authorization, transaction: signature, amountAtomic: null, isSweep: false };
        }),
      ),
    ),
  );
  return transfers.flat();
}

/** Payments from accounts and channels, which are not on a chain. The audit checks that balances fell accordingly. */
async function chargesInLedger(rig: Rig): Promise<Transfer[]> {
  const rows = await rig.query<{ network: PaidAt; authorization: string | null; amount: string }>(
    `SELECT CASE WHEN debit_account LIKE 'account:%' THEN 'account' ELSE 'channel' END AS network,
       ${authorizationInLedger} AS "authorization", posting.amount_atomic::text AS amount
     FROM posting LEFT JOIN paid_call ON paid_call.id = posting.paid_call_id
     WHERE debit_account LIKE 'account:%' OR debit_account LIKE 'chain:%:unclaimed'`,
  );
  return rows.map(({ network, authorization, amount }) => ({
    network,
    authorization: authorization ?? 'none: no paid call',
    transaction: null,
    amountAtomic: BigInt(amount),
    isSweep: false,
  }));
}

/** The amount paid out of payment channels on the chain that is not booked yet. It is booked once it is final. */
export async function unbookedSweeps(rig: Rig): Promise<bigint> {
  const swept = (await readChains(rig, []))
    .filter(({ isSweep }) => isSweep)
    .reduce((sum, { amountAtomic }) => sum + (amountAtomic ?? 0n), 0n);
  const [row] = await rig.query<{ booked: string }>(
    `SELECT COALESCE(sum(amount_atomic), 0)::text AS booked FROM posting WHERE kind = 'swept'`,
  );
  return swept - BigInt(row?.booked ?? 0);
}

/** Payments to the rig's payees since it started: on the chains and from accounts and channels. On Solana, by these payers only. */
export async function readChains(rig: Rig, solanaPayers: readonly string[]): Promise<Transfer[]> {
  const transfers = await Promise.all(
    rig.networks.map((on) =>
      on === 'solana-mainnet' ? solanaTransfers(rig, solanaPayers) : evmTransfers(rig, on),
    ),
  );
  return [...transfers.flat(), ...(await chargesInLedger(rig))];
}
