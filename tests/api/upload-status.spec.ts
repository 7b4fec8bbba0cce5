import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { fullOnly } from '../support/tiers';
import { buyFile, buySlot, putFile, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const statusOf = (id: string) => fetch(`${uploadsUrl()}/${id}`);
const stateOf = async (id: string) => (await (await statusOf(id)).json()).status;

test('a slot is reserved until its bytes arrive, and available from then on', async () => {
  const file = aFile();
  const slot = await buySlot(await newEvmPayer(), 'base', file);
  const { id, expiresAt, uploadUrlExpiresAt, publicUrl } = slot;
  const before = await statusOf(id);
  expect(await before.json()).toEqual({
    id,
    status: 'reserved',
    uploadUrlExpiresAt,
    expiresAt,
    downloads: 0,
  });
  await putFile(slot, file.bytes);
  const after = await (await statusOf(id)).text();
  expect(JSON.parse(after).status).toBe('available');
  // Whoever knows the ID does not know the link.
  expect(after).not.toContain(new URL(publicUrl).pathname.split('/')[1] ?? '');
});

test('downloads are counted, also those of days whose traffic is over', fullOnly, async () => {
  const { id, publicUrl } = await buyFile(await newEvmPayer(), 'base');
  for (let time = 0; time < 3; time += 1) await (await fetch(publicUrl)).arrayBuffer();
  await (await fetch(publicUrl, { headers: { Range: 'bytes=1-2' } })).arrayBuffer();
  await (await fetch(publicUrl, { method: 'HEAD' })).arrayBuffer();
  const downloads = async () => (await (await statusOf(id)).json()).downloads;
  await expect.poll(downloads, { timeout: 60_000 }).toBe(3);
  await sql(
    'INSERT INTO link_traffic (upload_id, day, downloads, bytes) VALUES ($1, CURRENT_DATE - 1, 4, 100)',
    [id],
  );
  await sql('UPDATE upload SET earlier_downloads = 5 WHERE id = $1', [id]);
  expect(await downloads()).toBe(12);
});

test('the status of an upload that is over says why', async () => {
  const wallet = await newEvmPayer();
  const { id } = await buySlot(wallet, 'base');
  await sql(`UPDATE upload SET upload_url_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
  expect(await stateOf(id)).toBe('lapsed');
  await sql('UPDATE upload SET deleted_at = now() WHERE id = $1', [id]);
  expect(await stateOf(id)).toBe('deleted');
  await sql(`UPDATE upload SET deleted_at = NULL, expires_at = now() - interval '1 second' WHERE id = $1`, [
    id,
  ]);
  expect(await stateOf(id)).toBe('expired');
  await sql('UPDATE upload SET taken_down_at = now() WHERE id = $1', [id]);
  expect(await stateOf(id)).toBe('taken_down');
});

test('an ID that no upload has gets 404', async () => {
  await expectError(await statusOf('up_3nKq0Zt7mVb2XsYd81PfLcRw'), 'upload_not_found');
});
