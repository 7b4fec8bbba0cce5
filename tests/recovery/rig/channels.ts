import { toClientEvmSigner } from '@x402/evm';
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { createPublicClient, http } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import { type Rig, type RigOptions, startRig } from './rig';

/** A rig that offers payment channels on base, with its server up. */
export async function startChannelRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await startRig({
    networks: ['base'],
    ...options,
    settings: { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: generatePrivateKey(), ...options.settings },
  });
  await rig.start();
  return rig;
}

/** The official client with the scheme for channels alone, which is how a buyer chooses them. */
export function channelClient(
  rig: Pick<Rig, 'chainUrl'>,
  payer: PrivateKeyAccount,
  { storage = new InMemoryClientChannelStorage(), readsChain = true } = {},
) {
  const chain = createPublicClient({ transport: http(rig.chainUrl('base')) });
  const signer = readsChain ? toClientEvmSigner(payer, chain) : payer;
  const scheme = new BatchSettlementEvmScheme(signer, { storage });
  const client = new x402Client().register('eip155:8453', scheme);
  return { client, scheme, storage, fetch: wrapFetchWithPayment(fetch, client) as typeof globalThis.fetch };
}
