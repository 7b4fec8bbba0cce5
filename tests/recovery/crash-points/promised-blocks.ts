import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { heldIntervalSeconds } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { type PreconfirmingNode, preconfirm } from '../../support/preconfirming-node';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy';
import { lose, settlementOf } from '../rig/preconfirmed';
import type { Rig } from '../rig/rig';
import { until } from '../rig/waiting';

/** How soon the node pre-confirms a transaction. */
const promiseMs = 10;
/** A call that has not been answered by then is waiting for its block. */
const patienceMs = 700;
const blockMs = 100;

type Payment = Pick<Rig, 'query'>;

/**
 * A base chain whose node pre-confirms what it is sent. Blocks are mined once the call is answered, or has waited for a while,
 * so that every run has the same messages.
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

  /** @param isKept whether the node keeps its pre-confirmations; if not, it forgets each transaction once its call is answered */
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

  /** Makes the node pre-confirm again, and the service rely on it again, as an operator would. */
  async renew({ query }: Payment): Promise<void> {
    this.#proxy.clear();
    this.#node = this.#promise();
    await query('UPDATE preconfirmation_switch SET stopped_at = NULL');
  }

  /** Follows a payer's call from its request until its payment is in a block. @returns its answer */
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

  /** Makes the node forget the transaction of a call that was answered on a pre-confirmation. `sendAgain` lets it accept it again. */
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
