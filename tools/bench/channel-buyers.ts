import type { BatchSettlementVoucherPayload } from '@x402/evm';
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client';
import { x402Client } from '@x402/fetch';
import { type Buyer, priceAtomic, readChallenge, toRequest } from './buyers';
import type { LoadRequest } from './load-protocol';

/** The deposit into each channel: enough for 200 calls. */
export const depositAtomic = 1_000_000n;

/** A buyer with its own channel on one server. The official client signs before the measured time begins. */
export interface ChannelBuyer {
  /** Signs the next calls. The first one also deposits. All of them must be answered with 200, in order. */
  sign(calls: number): Promise<LoadRequest[]>;
}

export async function newChannelBuyer(url: string, buyer: Buyer): Promise<ChannelBuyer> {
  const challenge = await readChallenge(url);
  const storage = new InMemoryClientChannelStorage();
  const client = new x402Client().register('eip155:8453', new BatchSettlementEvmScheme(buyer, { storage }));
  let chargedAtomic = 0n;
  const signNext = async (): Promise<LoadRequest> => {
    const envelope = await client.createPaymentPayload(challenge);
    // Both kinds of payload have a voucher.
    const { voucher } = envelope.payload as unknown as BatchSettlementVoucherPayload;
    chargedAtomic += priceAtomic;
    // As if the server had answered already.
    await storage.set(voucher.channelId, {
      chargedCumulativeAmount: chargedAtomic.toString(),
      balance: depositAtomic.toString(),
      totalClaimed: '0',
    });
    return toRequest(url, envelope);
  };
  return {
    async sign(calls) {
      const signed: LoadRequest[] = [];
      while (signed.length < calls) signed.push(await signNext());
      return signed;
    },
  };
}
