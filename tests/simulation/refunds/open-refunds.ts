import type { RefundsApp } from '@/lib/operator/refunds/refundable';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { EvmRefundReader } from '@/lib/payments/evm/evm-refund-reader';
import type { RefundReader } from '@/lib/payments/refund-transfer';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { SolanaRefundReader } from '@/lib/payments/solana/solana-refund-reader';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { MemoryProcess } from '../stores/memory-process';
import { memoryRefunds } from '../stores/memory-refunds';
import type { World } from '../world';

/** Refunds on all networks of a history, as a process carries them out. */
export function openRefunds(
  app: ChainPlatform,
  { offer, solana }: World,
  memory: MemoryProcess,
  send: SendToRpc,
): RefundsApp {
  const onBase = new EvmRefundReader(new EvmChain(app, offer, new RpcNodes(app, offer, send)));
  const readers = new Map<string, RefundReader>([[offer.network.name, onBase]]);
  if (solana) {
    const nodes = new RpcNodes(app, solana.offer, send);
    readers.set(solana.offer.network.name, new SolanaRefundReader(app, solana.offer, nodes));
  }
  const refundReaderAt = (network: string) => readers.get(network) ?? null;
  const { clock, log, timings } = app;
  return { clock, log, timings, refunds: memoryRefunds(memory), payments: { refundReaderAt } };
}
