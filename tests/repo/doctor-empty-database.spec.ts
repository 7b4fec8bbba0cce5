import { createApp } from '@/lib/app';
import { examine } from '@/lib/operator/doctor/examine-installation';
import type { Finding } from '@/lib/operator/doctor/finding';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import { emptyDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';

test('on an empty database and without a settlement key, doctor says what to start', async () => {
  const database = await emptyDatabase();
  const settings = parseSettings({
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:1',
    FILES_URL: 'http://127.0.0.1:1',
    PAY_TO_EVM: `0x${'11'.repeat(20)}`,
    BASE_RPC_URL: 'http://127.0.0.1:1',
    DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const app = createApp({ settings, log: createLog({ LOG_LEVEL: 'silent' }) });
  try {
    const findings: Finding[] = [];
    for await (const finding of examine(app, ['database', 'worklist', 'networks'])) findings.push(finding);
    expect(findings.find(({ about }) => about === 'base')).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/^there is no settlement key here, and the database has no tables/),
      advice: expect.stringMatching(/^Set SETTLEMENT_KEYS_EVM and start the server/),
    });
    expect(JSON.stringify(findings)).not.toMatch(/prisma|invocation/i);
  } finally {
    await app.close();
    await database.drop();
  }
});
