import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type EvmChain, type EvmChainOptions, startEvmChain } from '@/local/evm/chain';
import { readUsdcBalances, setUsdcBalances, topUpGas } from '@/local/evm/funding';
import { rpcBatch, rpcCall } from '@/local/json-rpc';

/** With anvil's default of 30 million, or a real chain's limit, blocks would be the bottleneck. */
const blockGasLimit = 1_000_000_000;
const buyerAtomic = 1_000_000_000n;

/** When blocks are mined: as soon as there is a transaction, or every two seconds. */
export type BlockMode = 'instant' | '2 s';

const mining: Readonly<Record<BlockMode, EvmChainOptions['mining']>> = {
  instant: 'mixed',
  '2 s': 'interval',
};

/** The receiving side on the chain: the key that pays for gas, and the payee. */
export interface Seller {
  readonly signer: Hex;
  readonly signerKey: Hex;
  readonly payTo: Hex;
}

export interface BenchChain extends EvmChain {
  /** A new signer key with gas money and a new payee, so that no two servers share an account on the chain. */
  newSeller(): Promise<Seller>;
  fundBuyers(addresses: readonly Hex[]): Promise<void>;
  received(seller: Seller): Promise<bigint>;
  height(): Promise<number>;
  /** Gas that the signer's transactions have used in the blocks after `height`. */
  gasUsed(seller: Seller, height: number): Promise<number>;
  /** Waits until the signer has no pending transactions. Those stuck behind a nonce gap are dropped. */
  settleDown(seller: Seller): Promise<void>;
}

/** The benchmark's own chain, in memory, because saving its state would disturb the rounds. */
export async function startBenchChain(mode: BlockMode): Promise<BenchChain> {
  const chain = await startEvmChain({ chainId: 8453, mining: mining[mode], blockTimeSeconds: 2 });
  const { rpcUrl, usdc } = chain;
  await rpcCall(rpcUrl, 'evm_setBlockGasLimit', [numberToHex(blockGasLimit)]);
  const height = async () => Number(await rpcCall(rpcUrl, 'eth_blockNumber'));

  return {
    ...chain,
    height,
    async newSeller() {
      const signerKey = generatePrivateKey();
      const signer = privateKeyToAccount(signerKey).address;
      const payTo = privateKeyToAccount(generatePrivateKey()).address;
      await topUpGas(rpcUrl, signer, 10n ** 21n);
      return { signer, signerKey, payTo };
    },
    fundBuyers: (addresses) =>
      setUsdcBalances(
        rpcUrl,
        usdc,
        addresses.map((owner) => ({ owner, amountAtomic: buyerAtomic })),
      ),
    async received({ payTo }) {
      const [balance] = await readUsdcBalances(rpcUrl, usdc, [payTo]);
      return balance ?? 0n;
    },
    async gasUsed({ signer }, since) {
      const blocks = Array.from({ length: (await height()) - since }, (_, index) => since + 1 + index);
      const receipts = (await rpcBatch(
        rpcUrl,
        blocks.map((block) => ['eth_getBlockReceipts', [numberToHex(block)]] as const),
      )) as { from: Hex; gasUsed: Hex }[][];
      return receipts
        .flat()
        .filter(({ from }) => from.toLowerCase() === signer.toLowerCase())
        .reduce((total, { gasUsed }) => total + Number(gasUsed), 0);
    },
    async settleDown({ signer }) {
      for (const deadline = Date.now() + 6_000; Date.now() < deadline; ) {
        const counts = await rpcBatch(rpcUrl, [
          ['eth_getTransactionCount', [signer, 'latest']],
          ['eth_getTransactionCount', [signer, 'pending']],
        ]);
        if (counts[0] === counts[1]) return;
        await sleep(200);
      }
      await rpcCall(rpcUrl, 'anvil_dropAllTransactions');
    },
  };
}
