import {
  BATCH_SETTLEMENT_ADDRESS,
  BATCH_SETTLEMENT_DOMAIN,
  type ChannelConfig,
  claimBatchTypes,
  refundTypes,
  voucherTypes,
} from '@x402/evm';
import { computeChannelId } from '@x402/evm/batch-settlement/client';
import { hashTypedData } from 'viem';
import { ChannelDigests } from '@/lib/payments/channels/channel-digests';
import { expect, test } from '../support/without-browser';

const config: ChannelConfig = {
  payer: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payerAuthorizer: '0x1111111111111111111111111111111111111111',
  receiver: '0x2222222222222222222222222222222222222222',
  receiverAuthorizer: '0x3333333333333333333333333333333333333333',
  token: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  withdrawDelay: 86_400,
  salt: `0x${'0f'.repeat(32)}`,
};

for (const chainId of [8453, 42161]) {
  const digests = new ChannelDigests(chainId);
  const domain = { ...BATCH_SETTLEMENT_DOMAIN, chainId, verifyingContract: BATCH_SETTLEMENT_ADDRESS };
  const channelId = computeChannelId(config, `eip155:${chainId}`);

  test(`the ids and digests of channels on ${chainId} are those of the official package`, () => {
    expect(digests.channelId(config)).toBe(channelId);
    for (const amount of [0n, 1n, 5_000n, 2n ** 128n - 1n]) {
      const message = { channelId, maxClaimableAmount: amount };
      const voucher = hashTypedData({ domain, types: voucherTypes, primaryType: 'Voucher', message });
      expect(`0x${digests.voucher(channelId, amount).toString('hex')}`).toBe(voucher);
      const refund = { channelId, nonce: 3n, amount };
      expect(digests.refund(channelId, 3n, amount)).toBe(
        hashTypedData({ domain, types: refundTypes, primaryType: 'Refund', message: refund }),
      );
    }
    for (const count of [1, 2, 50]) {
      const rows = Array.from({ length: count }, (_, index) => ({
        channelId,
        maxClaimableAtomic: BigInt(index) + 7n,
        totalClaimedAtomic: BigInt(index),
      }));
      const claims = rows.map(({ maxClaimableAtomic, totalClaimedAtomic }) => ({
        channelId,
        maxClaimableAmount: maxClaimableAtomic,
        totalClaimed: totalClaimedAtomic,
      }));
      expect(digests.claimBatch(rows)).toBe(
        hashTypedData({ domain, types: claimBatchTypes, primaryType: 'ClaimBatch', message: { claims } }),
      );
    }
  });

  test(`every term of a channel on ${chainId} is part of its id, and letter case is not`, () => {
    const other = '0x4444444444444444444444444444444444444444';
    const changes: Partial<ChannelConfig>[] = [
      { payer: other },
      { payerAuthorizer: other },
      { receiver: other },
      { receiverAuthorizer: other },
      { token: other },
      { withdrawDelay: 86_401 },
      { salt: `0x${'f0'.repeat(32)}` },
    ];
    const ids = changes.map((change) => digests.channelId({ ...config, ...change }));
    expect(new Set([...ids, channelId, new ChannelDigests(1).channelId(config)]).size).toBe(9);
    const lower = config.payer.toLowerCase() as ChannelConfig['payer'];
    expect(digests.channelId({ ...config, payer: lower })).toBe(channelId);
  });
}
