import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { heldIntervalSeconds } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { type PreconfirmingNode, preconfirm } from '../../support/preconfirming-node';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy';
import { lose, settlementOf } from '../rig/preconfirmed';
import type { Rig } from '../rig/rig';
import { until } from '../rig/waiting';

/** How soon the node promises a block. */
const promiseMs = 10;
/** A call that is not answered by then waits for its block. */
const patienceMs = 700;
const blockMs = 100;

type Payment = Pick<Rig, 'query'>;

/**
 * A base whose node pre-confirms what it is sent. Its blocks come when the call is answered, or has waited for a while, so
 * that the same messages come in every run.
 */
export class PromisedBlocks {
  readonly #chain: EvmChain;
  readonly #proxy: RpcProxy;
  readonly #isKept: boolean;
  #node: PreconfirmingNode;

  private constructor(chain: EvmChain, proxy: RpcProxy, isKept: boolean) {
    this.#chain = chain;
    this.#proxy = proxy;
    this.#isKept = isKept;
    this.#node = this.#promise();
  }

  /** @param isKept whether the node keeps its word; otherwise it forgets each transaction once its call is answered */
  static async start(isKept: boolean): Promise<PromisedBlocks> {
    const chain = await startEvmChain({ chainId: 8453 });
    return new PromisedBlocks(chain, await startRpcProxy(chain.rpcUrl), isKept);
  }

  get rpcUrl(): string {
    return this.#proxy.url;
  }

  async stopMining(): Promise<void> {
    await rpcCall(this.#chain.rpcUrl, 'evm_setIntervalMining', [heldIntervalSeconds]);
  }

  /** Lets the node promise again, and the service believe it again, as an operator does. */
  async renew({ query }: Payment): Promise<void> {
    this.#proxy.clear();
    this.#node = this.#promise();
    await query('UPDATE preconfirmation_switch SET stopped_at = NULL');
  }

  /** Follows the call of a payer from its request until a block has its payment. @returns its answer */
  async complete<T extends { readonly status: number }>(
    rig: Payment,
    payer: string,
    answer: Promise<T>,
  ): Promise<T> {
    let mining: NodeJS.Timeout | undefined;
    const mine = () => {
      mining ??= setInterval(() => {
        rpcCall(this.#chain.rpcUrl, 'anvil_mine', ['0x1']).catch(() => undefined);
      }, blockMs);
    };
    const waiting = setTimeout(mine, patienceMs);
    try {
      const given = await answer;
      if (given.status !== 200) return given;
      const forgotten = this.#isKept ? null : await this.#forget(rig, payer);
      mine();
      if (forgotten) {
        await until('the loss', async () => (await isLost(rig, payer)) || (await isInBlock(rig, payer)));
        forgotten.sendAgain();
      }
      await until('the block of a payment', () => isInBlock(rig, payer));
      return given;
    } finally {
      clearTimeout(waiting);
      clearInterval(mining);
    }
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await this.#chain.stop();
  }

  #promise(): PreconfirmingNode {
    return preconfirm(this.#proxy, this.#chain.rpcUrl, { afterMs: promiseMs });
  }

  /** The node forgets the transaction of a call that was answered on its word, and takes it again when told to. */
  async #forget(rig: Payment, payer: string): Promise<{ sendAgain(): void } | null> {
    const promised = await settlementOf(rig, payer);
    if (promised?.state !== 'preconfirmed') return null;
    return lose({ base: this.#proxy }, this.#node, promised.hash);
  }
}

async function isLost({ query }: Payment, payer: string): Promise<boolean> {
  const lost = await query(
    `SELECT FROM paid_call_move JOIN paid_call ON paid_call.id = paid_call_id
     WHERE payer = $1 AND note = 'preconfirmation_lost'`,
    [payer],
  );
  return lost.length > 0;
}

async function isInBlock({ query }: Payment, payer: string): Promise<boolean> {
  const found = await query(
    `SELECT FROM settlement_transaction settlement JOIN paid_call ON settlement_id = settlement.id
     WHERE payer = $1 AND settlement.state = 'confirmed' AND paid_call.state = 'delivered'`,
    [payer],
  );
  return found.length > 0;
}
