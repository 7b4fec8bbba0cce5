import { createHash, randomBytes } from 'node:crypto';
import { printStep } from '../terminal';
import { type Buyer, buy, check } from './buy';

type Upload = {
  id: string;
  uploadUrl: string;
  uploadMethod: string;
  uploadHeaders: Record<string, string>;
  publicUrl: string;
  expiresAt: string;
};

/** An upload and the buyer that owns it. */
export type BoughtUpload = { buyer: Buyer; upload: Upload };

/** Buys an upload, sends the file and downloads it again. */
export async function buyUpload(buyer: Buyer): Promise<BoughtUpload> {
  const { name } = buyer.network;
  const bytes = Buffer.from(`Hello from ${name}. ${randomBytes(24).toString('hex')}\n`);
  const digest = createHash('sha256').update(bytes).digest();
  const body = {
    mime: 'text/plain',
    size: bytes.length,
    sha256: digest.toString('hex'),
    sha256Base64: digest.toString('base64'),
    filename: `hello-from-${name}.txt`,
  };
  const upload = await buy<Upload>({ label: 'an upload', path: '/uploads', body }, buyer);

  let startedMs = performance.now();
  const put = await fetch(upload.uploadUrl, {
    method: upload.uploadMethod,
    headers: upload.uploadHeaders,
    body: bytes,
  });
  check(put.ok, `The file was refused with ${put.status}: ${await put.text()}`);
  printStep(`sent the file, ${bytes.length} bytes`, performance.now() - startedMs);

  startedMs = performance.now();
  const download = await fetch(upload.publicUrl);
  const received = Buffer.from(await download.arrayBuffer());
  check(download.ok, `The public link was answered with ${download.status}.`);
  check(received.equals(bytes), 'The public link returned other bytes than were sent.');
  printStep('downloaded the same bytes from the public link', performance.now() - startedMs);
  return { buyer, upload };
}

/** Extends the life of an upload. */
export async function renewUpload({ buyer, upload }: BoughtUpload): Promise<void> {
  const label = `a renewal of the ${buyer.network.name} upload over ${buyer.rail.name}`;
  const renewed = await buy<{ expiresAt: string }>({ label, path: `/uploads/${upload.id}/renew` }, buyer);
  check(
    renewed.expiresAt > upload.expiresAt,
    `The renewed upload expires at ${renewed.expiresAt}, not after ${upload.expiresAt}.`,
  );
}

/** Deletes an upload and checks that its link no longer works. */
export async function deleteUpload({ buyer, upload }: BoughtUpload): Promise<void> {
  const label = `the deletion of the ${buyer.network.name} upload over ${buyer.rail.name}`;
  const path = `/uploads/${upload.id}`;
  const answer = await buy<{ deleted: boolean }>({ label, path, method: 'DELETE' }, buyer);
  check(answer.deleted === true, 'The response does not say that the upload is deleted.');
  const download = await fetch(upload.publicUrl);
  check(
    download.status === 410 || download.status === 404,
    `The public link of the deleted upload was answered with ${download.status}, not 410 or 404.`,
  );
}
