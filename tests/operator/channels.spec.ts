import { privateKeyToAddress } from 'viem/accounts';
import { createApp } from '@/lib/app';
import { examineChannels } from '@/lib/operator/doctor/channels';
import { checkNetworks } from '@/lib/operator/doctor/check-networks';
import type { Finding } from '@/lib/operator/doctor/finding';
import { showDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const onBase = { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: `0x${'5a'.repeat(32)}` } as const;

async function addChannels({ app }: LedgerApp): Promise<void> {
  for (const [id, spent, claimed, withdrawing] of [
    ['0x01', 500_000, 200_000, 0],
    ['0x02', 50_000, 40_000, 960_000],
    ['0x03', 10_000, 10_000, 900_000],
  ])
    await app.pool.query(
      `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
         withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
       VALUES ($1, 'base', 'payer', 'us', $5, 'USDC', 86400, '0x', 1000000, $4, $3, 1, now(), 0, $2, now())`,
      [id, spent, claimed, withdrawing, privateKeyToAddress(onBase.BATCH_AUTHORIZER_KEY)],
    );
}

/** Books all claims that the chain reports. */
async function bookClaims({ app }: LedgerApp): Promise<void> {
  await app.pool.query(
    `INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at)
     SELECT network, 1, id, 0, 'Claimed', id, claimed_atomic, now() FROM channel`,
  );
}

/** What doctor reports about channels with changed settings, without querying their contract. */
async function sayings({ databaseUrl }: LedgerApp, changed: Record<string, string> = {}): Promise<Finding[]> {
  const { settings, log } = testPlatform({ DATABASE_URL: databaseUrl, ...changed });
  const app = createApp({ settings, log });
  try {
    return await examineChannels(app, null);
  } finally {
    await app.close();
  }
}

test('doctor tells what is unclaimed, and what is claimed but not booked, while channels are switched off', async () => {
  const ledger = await openLedgerApp();
  try {
    const about = async () =>
      (await checkNetworks(ledger.app)).filter((finding) => finding.about === 'BATCH_SETTLEMENT');
    expect(await about()).toEqual([]);
    await addChannels(ledger);
    const unclaimed = {
      about: 'BATCH_SETTLEMENT',
      status: 'failed',
      message: '0.31 USDC was spent through payment channels on base and is not claimed',
      advice: expect.stringContaining('BATCH_CLOSING=true'),
    };
    expect(await about()).toEqual([
      unclaimed,
      {
        about: 'BATCH_SETTLEMENT',
        status: 'failed',
        message: '0.25 USDC was claimed from payment channels on base and is not booked',
        advice: expect.stringMatching(/^Set BATCH_SETTLEMENT=base, .* until doctor no longer says so\.$/),
      },
    ]);
    await bookClaims(ledger);
    expect(await about()).toEqual([unclaimed]);
  } finally {
    await ledger.close();
  }
});

test('doctor tells what is left in channels of a network that is no longer the one of channels', async () => {
  const ledger = await openLedgerApp();
  try {
    await addChannels(ledger);
    const found = await sayings(ledger, {
      ...onBase,
      BATCH_SETTLEMENT: 'polygon',
      POLYGON_RPC_URL: 'http://127.0.0.1:1',
    });
    expect(found.map(({ status, message }) => [status, message])).toEqual([
      ['failed', '0.31 USDC was spent through payment channels on base and is not claimed'],
      ['failed', '0.25 USDC was claimed from payment channels on base and is not booked'],
    ]);
  } finally {
    await ledger.close();
  }
});

test('while channels are closing, doctor says how long the settings are needed; while they are open, nothing', async () => {
  const ledger = await openLedgerApp();
  try {
    await addChannels(ledger);
    expect(await sayings(ledger, onBase)).toEqual([]);
    const closing = { ...onBase, BATCH_CLOSING: 'true' };
    expect(await sayings(ledger, closing)).toEqual([
      {
        about: 'BATCH_SETTLEMENT',
        status: 'warning',
        message: '0.31 USDC was spent through payment channels on base and is not claimed',
        advice: expect.stringContaining('Leave BATCH_SETTLEMENT and BATCH_AUTHORIZER_KEY set until '),
      },
      {
        about: 'BATCH_SETTLEMENT',
        status: 'warning',
        message: '0.25 USDC was claimed from payment channels on base and is not booked',
        advice: expect.stringContaining('Leave BATCH_SETTLEMENT and BATCH_AUTHORIZER_KEY set until '),
      },
    ]);
    await ledger.app.pool.query('UPDATE channel SET claimed_atomic = charged_atomic');
    await bookClaims(ledger);
    expect(await sayings(ledger, closing)).toEqual([]);
    // In each channel, this is too little to be worth a claim.
    await ledger.app.pool.query(
      'UPDATE channel SET charged_atomic = charged_atomic + 9999 WHERE withdrawing_atomic = 0',
    );
    expect(await sayings(ledger, closing)).toEqual([]);
    expect(await sayings(ledger, {})).toEqual([]);
  } finally {
    await ledger.close();
  }
});

test('doctor warns of what only another authorizer can claim, and says nothing of another payee', async () => {
  const ledger = await openLedgerApp();
  try {
    await addChannels(ledger);
    await ledger.app.pool.query(`UPDATE channel SET receiver = 'them'`);
    expect(await sayings(ledger, onBase)).toEqual([]);
    await ledger.app.pool.query(`UPDATE channel SET receiver_authorizer = 'former' WHERE id <> '0x01'`);
    expect(await sayings(ledger, onBase)).toEqual([
      {
        about: 'BATCH_AUTHORIZER_KEY',
        status: 'warning',
        message:
          '0.01 USDC is unclaimed in payment channels on base that were opened with authorizer former, and only its key or the payee can claim it',
        advice: expect.stringContaining('BATCH_AUTHORIZER_KEY'),
      },
    ]);
    // While channels are closing, the settings are needed for what their own key can claim; the amount that only the former
    // key can claim is reported separately.
    const closing = { ...onBase, BATCH_CLOSING: 'true' };
    expect((await sayings(ledger, closing)).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^0\.3 USDC was spent .* and is not claimed$/),
      expect.stringContaining('is not booked'),
      expect.stringMatching(/^0\.01 USDC is unclaimed .* authorizer former/),
    ]);
  } finally {
    await ledger.close();
  }
});

test('the metrics tell what is unclaimed in payment channels, and how many of those are being emptied', async () => {
  const ledger = await openLedgerApp(onBase);
  try {
    const { app } = ledger;
    const figures = async () => {
      await showDatabaseFigures(app);
      const gauges = Object.values(app.metrics.channels);
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

test('doctor tells of a dollar that is claimed and not paid out while channels are switched off, and of less not', async () => {
  const ledger = await openLedgerApp();
  const happened = (name: string, atomic: number) =>
    ledger.app.pool.query(
      `INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, amount_atomic, at)
       VALUES ('base', 1, gen_random_uuid(), 0, $1, $2, now())`,
      [name, atomic],
    );
  try {
    await happened('Claimed', 1_500_000);
    await happened('Settled', 500_000);
    expect(await sayings(ledger)).toMatchObject([
      { status: 'failed', message: '1 USDC was claimed from payment channels on base and is not paid out' },
    ]);
    expect(await sayings(ledger, { ...onBase, BASE_RPC_URL: 'http://127.0.0.1:1' })).toEqual([]);
    await happened('Settled', 1);
    expect(await sayings(ledger)).toEqual([]);
  } finally {
    await ledger.close();
  }
});
