import { encodeFunctionData, type Hex, numberToHex, pad } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import {
  readUsdcBalances,
  setUsdcBalances,
  setUsdcBlocked,
  setUsdcPaused,
  topUpGas,
} from '@/local/evm/funding';
import { rpcBatch, rpcCall } from '@/local/json-rpc';
import { type Authorization, signCancellation, type TokenDomain, transferTopic, usdcAbi } from './usdc';

/** A transfer of USDC that is on the chain. */
export interface Transfer {
  readonly from: Hex;
  readonly value: bigint;
  readonly transaction: Hex;
}

const logs = z.array(
  z.object({ topics: z.array(z.string()), data: z.string(), transactionHash: z.string() }),
);
const receipt = z.object({ status: z.string(), logs }).nullable();
const block = z.object({ timestamp: z.string(), number: z.string() });

const hex = (text: string): Hex => `0x${text.replace(/^0x/, '')}`;

const fundsOfWallet = 10_000_000n;

/** A local chain with USDC on which the cases pay. Only this process writes to it beside the seller. */
export class LocalChain {
  readonly #chain: EvmChain;
  readonly #owner = privateKeyToAccount(generatePrivateKey());
  /** Wallets with 10 USDC each, funded together: each funding makes a block. */
  #funded: PrivateKeyAccount[] = [];

  private constructor(chain: EvmChain) {
    this.#chain = chain;
  }

  static async start(): Promise<LocalChain> {
    const local = new LocalChain(await startEvmChain({ chainId: 8453, blockTimeSeconds: 1 }));
    try {
      await topUpGas(local.rpcUrl, local.#owner.address, 10n ** 20n);
    } catch (error) {
      await local.stop();
      throw error;
    }
    return local;
  }

  get rpcUrl(): string {
    return this.#chain.rpcUrl;
  }

  get usdc(): Hex {
    return hex(this.#chain.usdc);
  }

  get network(): `eip155:${number}` {
    return `eip155:${this.#chain.chainId}`;
  }

  get domain(): TokenDomain {
    return {
      name: 'USD Coin',
      version: '2',
      chainId: this.#chain.chainId,
      verifyingContract: this.usdc,
    };
  }

  /** A wallet that nobody else uses. */
  async newPayer(atomic = fundsOfWallet): Promise<PrivateKeyAccount> {
    if (this.#funded.length === 0) {
      this.#funded = Array.from({ length: 60 }, () => privateKeyToAccount(generatePrivateKey()));
      await setUsdcBalances(
        this.rpcUrl,
        this.usdc,
        this.#funded.map(({ address }) => ({ owner: address, amountAtomic: fundsOfWallet })),
      );
    }
    if (atomic === fundsOfWallet) {
      const payer = this.#funded.pop();
      if (payer) return payer;
    }
    const payer = privateKeyToAccount(generatePrivateKey());
    await this.setBalance(payer.address, atomic);
    return payer;
  }

  async setBalance(owner: Hex, amountAtomic: bigint): Promise<void> {
    if (amountAtomic > 0n) await setUsdcBalances(this.rpcUrl, this.usdc, [{ owner, amountAtomic }]);
  }

  balances(owners: readonly Hex[]): Promise<bigint[]> {
    return readUsdcBalances(this.rpcUrl, this.usdc, owners);
  }

  setPaused(isPaused: boolean): Promise<void> {
    return setUsdcPaused(this.rpcUrl, this.usdc, isPaused);
  }

  setBlocked(account: Hex, isBlocked: boolean): Promise<void> {
    return setUsdcBlocked(this.rpcUrl, this.usdc, account, isBlocked);
  }

  fundGas(account: Hex): Promise<void> {
    return topUpGas(this.rpcUrl, account, 10n ** 20n);
  }

  /** Puts the code of a contract at a new address. */
  async deploy(code: Hex): Promise<Hex> {
    const { address } = privateKeyToAccount(generatePrivateKey());
    await rpcBatch(this.rpcUrl, [
      ['anvil_setCode', [address, code]],
      ['evm_mine', []],
    ]);
    return address;
  }

  /** Every transfer to the payee from these payers that the chain has now. */
  async transfers(payers: readonly Hex[], payee: Hex): Promise<Transfer[]> {
    if (payers.length === 0) return [];
    const found = await rpcCall(this.rpcUrl, 'eth_getLogs', [
      {
        fromBlock: '0x0',
        toBlock: 'latest',
        address: this.usdc,
        topics: [transferTopic, payers.map((payer) => pad(payer)), pad(payee)],
      },
    ]);
    return logs.parse(found).map(({ topics, data, transactionHash }) => ({
      from: hex((topics[1] ?? '').slice(-40)),
      value: BigInt(data),
      transaction: hex(transactionHash),
    }));
  }

  /** The transfers of a successful transaction to the payee; null if the chain has no such transaction. */
  async transfersIn(transaction: string, payee: Hex): Promise<Transfer[] | null> {
    const found = receipt.parse(await rpcCall(this.rpcUrl, 'eth_getTransactionReceipt', [transaction]));
    if (found === null || BigInt(found.status) !== 1n) return null;
    return found.logs
      .filter(({ topics }) => topics[0] === transferTopic && topics[2] === pad(payee).toLowerCase())
      .map(({ topics, data, transactionHash }) => ({
        from: hex((topics[1] ?? '').slice(-40)),
        value: BigInt(data),
        transaction: hex(transactionHash),
      }));
  }

  /** The time of the newest block, in seconds. */
  async now(): Promise<bigint> {
    return BigInt((await this.#latest()).timestamp);
  }

  async #latest() {
    return block.parse(await rpcCall(this.rpcUrl, 'eth_getBlockByNumber', ['latest', false]));
  }

  /** Submits an authorization as anybody may. */
  submit({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex): Promise<void> {
    const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
    return this.#send(encodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization', args }));
  }

  async cancel(payer: PrivateKeyAccount, nonce: Hex): Promise<void> {
    const signature = await signCancellation(payer, this.domain, nonce);
    const args = [payer.address, nonce, signature] as const;
    await this.#send(encodeFunctionData({ abi: usdcAbi, functionName: 'cancelAuthorization', args }));
  }

  /** Sends all USDC of a wallet to somebody else. */
  async empty(payer: Hex): Promise<void> {
    await setUsdcBalances(this.rpcUrl, this.usdc, [{ owner: payer, amountAtomic: 0n }]);
  }

  /** Stops or resumes the inclusion of transactions as they arrive. */
  async setIncluding(isIncluding: boolean): Promise<void> {
    await rpcBatch(this.rpcUrl, [
      ['evm_setAutomine', [isIncluding]],
      ['evm_setIntervalMining', [isIncluding ? 1 : 0]],
    ]);
    if (isIncluding) await rpcCall(this.rpcUrl, 'evm_mine');
  }

  /** Forgets every transaction that waits to be included. */
  async dropPending(): Promise<void> {
    await rpcCall(this.rpcUrl, 'anvil_dropAllTransactions');
  }

  /** Replaces the newest blocks by empty ones. */
  async reorganize(depth: number): Promise<void> {
    await rpcCall(this.rpcUrl, 'anvil_reorg', [depth, []]);
  }

  async #send(data: Hex): Promise<void> {
    const from = this.#owner.address;
    await rpcCall(this.rpcUrl, 'anvil_impersonateAccount', [from]);
    const hash = await rpcCall(this.rpcUrl, 'eth_sendTransaction', [
      { from, to: this.usdc, data, gas: numberToHex(500_000) },
    ]);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const found = receipt.parse(await rpcCall(this.rpcUrl, 'eth_getTransactionReceipt', [hash]));
      if (found && BigInt(found.status) === 1n) return;
      if (found) throw new Error(`The transaction ${hash} of the check itself failed.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`The transaction ${hash} of the check itself was not included.`);
  }

  stop(): Promise<void> {
    return this.#chain.stop();
  }
}
