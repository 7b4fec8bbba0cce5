import type { Hex } from 'viem';
import { Account, usdcCalls } from '../evm/accounts';
import type { Block } from '../evm/blocks';
import { topics } from '../evm/usdc-words';
import type { World } from '../world';
import type { Outgoing, TreasuryWallet } from './wallet';

/** The treasury's wallet on Base. */
export class EvmTreasury implements TreasuryWallet {
  readonly #world: World;
  readonly #account = new Account('our payee');

  constructor(world: World) {
    this.#world = world;
  }

  /** Signs typed data as `eth_signTypedData_v4` does, if it is an authorization. */
  sign(typedData: object): Hex {
    const { message } = typedData as { readonly message: Record<string, string> };
    const hex = (name: string) => message[name] as Hex;
    return this.#account.authorize(this.#world.offer.network, {
      ...{ from: hex('from'), to: hex('to'), nonce: hex('nonce') },
      value: BigInt(message.value ?? 0),
      validAfter: BigInt(message.validAfter ?? 0),
      validBefore: BigInt(message.validBefore ?? 0),
    });
  }

  /** Sends what was signed. @param gas too little, and it fails in its block. @returns the hash */
  send(call: { readonly to: Hex; readonly data: Hex }, gas = 300_000): Hex {
    const data = call.data.toLowerCase() as Hex;
    return this.#world.chain.act(this.#account.address, { to: call.to, data, gas });
  }

  transfer(to: string, value: bigint): Hex {
    const token = this.#world.offer.network.usdc as Hex;
    return this.send({ to: token, data: usdcCalls.transfer(to as Hex, value) });
  }

  mayHave(hash: string): boolean {
    const { blocks, head, mempool } = this.#world.chain;
    return blocks.blockOf(hash as Hex, head) !== null || mempool.get(hash as Hex) !== undefined;
  }

  hasFailed(hash: string): boolean {
    const { chain } = this.#world;
    const final = chain.blocks.blockOf(hash as Hex, chain.tagged('finalized'));
    return final?.transactions.find(({ transaction }) => transaction.hash === hash)?.isSuccess === false;
  }

  outgoing(): Outgoing[] {
    const found: Outgoing[] = [];
    for (let block: Block | null = this.#world.chain.head; block; block = block.parent)
      found.push(...this.#outgoingIn(block));
    return found;
  }

  #outgoingIn({ number, hash: blockHash, transactions }: Block): Outgoing[] {
    const from = this.#account.address.toLowerCase().slice(2);
    const logs = transactions.flatMap(({ transaction, logs: of }) =>
      of.map((log) => ({ ...log, hash: transaction.hash })),
    );
    return logs.flatMap(({ topics: [kind, sender, recipient], data, hash }, index) => {
      if (kind !== topics.transfer || !sender?.endsWith(from) || !recipient) return [];
      const to = `0x${recipient.slice(26)}`;
      return { hash, index, blockNumber: BigInt(number), blockHash, to, value: BigInt(data) };
    });
  }
}
