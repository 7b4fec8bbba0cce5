import { bytesToHex } from 'viem';
import { z } from 'zod';
import type { PaidCallStep } from '@/lib/ledger/states';
import type { World } from '@/tests/simulation/world';

/** What each step of a paid call means, as docs/reliability.md says it. */
const meanings: Readonly<Record<PaidCallStep, string>> = {
  claimed: 'the payment belongs to this call, and nothing was sent.',
  prepared: 'the work that may fail is done.',
  settling: 'the payment may leave the process from here on.',
  unknown: 'nobody has learned yet whether the payment was made.',
  settled: 'the chain has the transfer, and the answer is owed.',
  needs_attention: 'paid, and an operator has to look.',
  delivered: 'the answer is stored.',
  kept: 'the stored answer says that the money was kept.',
  refused: 'not paid.',
  refunded: 'the money went back.',
};

const rpcCall = z.object({ method: z.string(), params: z.array(z.unknown()).optional() });
const logLine = z.object({ level: z.number(), msg: z.string().optional() });
/** The number of this level in the log (pino). */
const warning = 40;
const broadcasts: readonly string[] = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync'];

/** Tells what is new in the database, on the chain and in the requests to the node. */
export class Observer {
  readonly #world: World;
  readonly #tell: (where: 'server' | 'chain', what: string) => void;
  #moves = 0;
  #head: string;
  /** Transactions with their states. */
  readonly #transactions = new Map<string, string>();

  constructor(world: World, tell: (where: 'server' | 'chain', what: string) => void) {
    this.#world = world;
    this.#tell = tell;
    this.#head = world.chain.head.hash;
  }

  /** Compares with the last time. */
  look(): void {
    const { paidCallMove, settlementTransaction } = this.#world.database.tables;
    if (paidCallMove.size > this.#moves) {
      for (const { toState } of paidCallMove.all().slice(this.#moves))
        this.#tell('server', `Records that the call is ${toState}: ${meanings[toState]}`);
      this.#moves = paidCallMove.size;
    }
    for (const { hash, state, finalAt, blockNumber } of settlementTransaction.all()) {
      const now = finalAt === null ? state : 'final';
      if (this.#transactions.get(hash) === now) continue;
      this.#transactions.set(hash, now);
      const name = `transaction ${short(hash)}`;
      if (now === 'prepared') this.#tell('server', `Has signed and recorded ${name}.`);
      else if (now === 'final')
        this.#tell('server', `Records that block ${blockNumber} with ${name} is final.`);
      else this.#tell('server', `Records that ${name} is ${state}.`);
    }
    this.#readBlocks();
  }

  /** @returns whether a request to the node broadcasts a transaction of ours */
  readRequest(body: string): boolean {
    const { paidCall, settlementTransaction } = this.#world.database.tables;
    const calls = z.array(rpcCall).parse([JSON.parse(body)].flat());
    const sent = calls
      .filter(({ method }) => broadcasts.includes(method))
      .map(({ params = [] }) => params[0]);
    // A server that starts broadcasts something invalid to see what its node can do.
    const isBroadcast = settlementTransaction.all().some(({ raw }) => raw && sent.includes(bytesToHex(raw)));
    if (isBroadcast) this.#tell('server', 'Broadcasts the transaction to the node.');
    const isSimulated = calls.some(({ method }) => method === 'eth_call');
    if (isSimulated && paidCall.size === 0)
      this.#tell('server', 'Simulates the payment on the node, which charges nothing.');
    return isBroadcast;
  }

  /** Reads a line of a server's log. */
  read(who: string, line: string): void {
    if (!who.startsWith('server') || !line.startsWith('{')) return;
    const { level, msg } = logLine.parse(JSON.parse(line));
    if (msg !== undefined && level >= warning) this.#tell('server', `Logs: ${msg}.`);
  }

  #readBlocks(): void {
    const { head } = this.#world.chain;
    if (head.hash === this.#head) return;
    this.#head = head.hash;
    for (const { transaction, isSuccess } of head.transactions)
      this.#tell(
        'chain',
        `Block ${head.number} has transaction ${short(transaction.hash)}${isSuccess ? '' : ', which failed'}.`,
      );
  }
}

/** The beginning of a hash. */
export function short(hash: string): string {
  return `${hash.slice(0, 8)}…`;
}
