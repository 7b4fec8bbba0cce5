import type { Hex } from 'viem';
import type { ChannelBook } from '@/lib/payments/channels/channel';
import { ChannelSettler } from '@/lib/payments/channels/channel-settler';
import type { ChannelSigned } from '@/lib/payments/channels/channel-signed';
import { VerifiedChannels } from '@/lib/payments/channels/verified-channels';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { expect, test } from '../support/without-browser';
import { termsOf } from './channels/terms';
import { openProcess } from './evm/one-process';
import { memoryCallWorld } from './stores/call-world';

const minuteMs = 60_000;
const channelId: Hex = `0x${'12'.repeat(32)}`;

test('a voucher whose charge gets no answer is neither refused nor paid, and one that the books refuse is refused', async () => {
  const { time, app, offer, rpcs, settler: deposits, payment } = await openProcess(['https://node']);
  const { channels } = (await memoryCallWorld()).one;
  const signed: ChannelSigned = {
    ...{ family: 'channel', salt: channelId, maxClaimable: '10000' },
    ...{ signature: `0x${'34'.repeat(65)}`, deposit: null },
  };
  const voucher = { ...payment, channelId, signed };
  const settle = (charge: ChannelBook['charge']) => {
    const settler = new ChannelSettler(app, termsOf(offer, 10_000n, false), {
      chain: new EvmChain(app, offer, rpcs),
      book: { ...channels, charge },
      verified: new VerifiedChannels(),
      deposits,
    });
    return time.finish(settler.settle({ paidCallId: 'call', payment: voucher }), minuteMs);
  };

  const connectionLost = () => Promise.reject(new Error('the connection to the database was cut'));
  expect(await settle(connectionLost)).toEqual({ kind: 'unknown', transactionHash: null });
  expect(await settle(async () => 'refused')).toMatchObject({ kind: 'refused' });
  expect(await settle(async () => 'settled')).toMatchObject({ kind: 'settled', isInLedger: true });
});
