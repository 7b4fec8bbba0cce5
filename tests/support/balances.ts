import { readUsdcBalances } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { findAssociatedTokenAddress } from '@/local/solana/token-account';
import { network, type TestNetwork } from './stack';

/** A wallet's balance on the chain, in atomic USDC. */
export async function balanceOf(
  wallet: { readonly address: string },
  on: TestNetwork['name'],
  rpcUrl = network(on).rpcUrl,
): Promise<bigint> {
  const { usdc } = network(on);
  if (on === 'solana-mainnet') {
    const account = await findAssociatedTokenAddress(wallet.address, usdc);
    const answer = (await rpcCall(rpcUrl, 'getTokenAccountBalance', [account])) as {
      value: { amount: string };
    };
    return BigInt(answer.value.amount);
  }
  const [balance] = await readUsdcBalances(rpcUrl, usdc as `0x${string}`, [wallet.address as `0x${string}`]);
  if (balance === undefined) throw new Error('the chain gave no balance');
  return balance;
}
