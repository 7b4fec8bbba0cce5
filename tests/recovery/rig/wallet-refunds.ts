import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { mine } from './own-chain';
import { fundTreasury, makeFinal, refundStates, type SoldCall, sell, statusOf } from './refunds';
import { type Rig, startRig } from './rig';
import { until } from './waiting';

/** A rig on a base and a Solana of its own, whose treasury can pay refunds. */
export async function startRefundRig(): Promise<{ rig: Rig; close: () => Promise<void> }> {
  const chain = await startEvmChain({ chainId: 8453 });
  const rig = await startRig({
    networks: ['base', 'solana-mainnet'],
    baseRpcUrl: chain.rpcUrl,
    hasOwnSolana: true,
    settings: { BASE_FINALITY_BLOCKS: '5' },
  });
  await fundTreasury(rig);
  const close = async () => {
    await rig.close();
    await chain.stop();
  };
  return { rig, close };
}

/** A sold call whose payment is final. */
export async function soldOn(rig: Rig, network: 'base' | 'solana-mainnet'): Promise<SoldCall> {
  const wallet = network === 'base' ? await rig.newEvmPayer() : await rig.newSolanaPayer();
  const call = await sell(rig, wallet);
  await makeFinal(rig, call);
  return call;
}

/** Waits until the last refund of a call is confirmed. */
export async function untilRefunded(rig: Rig, call: SoldCall): Promise<string[]> {
  await mine(rig, 8);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await until('a refunded call', async () => (await statusOf(rig, call)).state === 'refunded');
  return refundStates(rig, call);
}
