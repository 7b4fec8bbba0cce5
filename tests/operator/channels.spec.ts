import { expect, test } from '@playwright/test';
import { checkNetworks } from '@/lib/operator/doctor/networks';
import { showDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';

async function addChannels({ app }: LedgerApp): Promise<void> {
  for (const [id, spent, claimed, withdrawing] of [
    ['0x01', 500_000, 200_000, 0],
    ['0x02', 50_000, 40_000, 960_000],
    ['0x03', 10_000, 10_000, 900_000],
  ])
    await app.pool.query(
      `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
         withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
       VALUES ($1, 'base', 'payer', 'us', 'authorizer', 'USDC', 86400, '0x', 1000000, $4, $3, 1, now(), 0, $2, now())`,
      [id, spent, claimed, withdrawing],
    );
}

test('doctor tells what is unclaimed while channels are switched off', async () => {
  const ledger = await openLedgerApp();
  try {
    const about = async () =>
      (await checkNetworks(ledger.app)).filter((finding) => finding.about === 'BATCH_SETTLEMENT');
    expect(await about()).toEqual([]);
    await addChannels(ledger);
    expect(await about()).toEqual([
      {
        about: 'BATCH_SETTLEMENT',
        status: 'failed',
        message: '0.31 USDC was spent through payment channels on base, and nobody claims it',
        advice: expect.stringContaining('BATCH_CLOSING=true'),
      },
    ]);
  } finally {
    await ledger.close();
  }
});

test('the metrics tell what is unclaimed in payment channels, and how many of those are being emptied', async () => {
  const ledger = await openLedgerApp({
    BATCH_SETTLEMENT: 'base',
    BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}`,
  });
  try {
    const { app } = ledger;
    const figures = async () => {
      await showDatabaseFigures(app);
      const gauges = [app.metrics.channelsUnclaimed, app.metrics.channelsLeaving];
      const values = await Promise.all(gauges.map(async (gauge) => (await gauge.get()).values));
      return values.flat().map(({ labels, value }) => [labels.network, value]);
    };
    expect(await figures()).toEqual([
      ['base', 0],
      ['base', 0],
    ]);
    await addChannels(ledger);
    expect(await figures()).toEqual([
      ['base', 0.31],
      ['base', 1],
    ]);
  } finally {
    await ledger.close();
  }
});
