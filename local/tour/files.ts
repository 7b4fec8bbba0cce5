import { createHash, randomBytes } from 'node:crypto';
import { printStep } from '../terminal';
import { buy, check, type Way } from './buying';

type Upload = {
  id: string;
  uploadUrl: string;
  uploadMethod: string;
  uploadHeaders: Record<string, string>;
  publicUrl: string;
  expiresAt: string;
};

/** A file that the tour has bought a place for, and how. */
export type Bought = { way: Way; upload: Upload };

/** Buys a place for a file, sends the file and reads it back. */
export async function buyUpload(way: Way): Promise<Bought> {
  const { name } = way.network;
  const bytes = Buffer.from(`Hello from ${name}. ${randomBytes(24).toString('hex')}\n`);
  const digest = createHash('sha256').update(bytes).digest();
  const body = {
    mime: 'text/plain',
    size: bytes.length,
    sha256: digest.toString('hex'),
    sha256Base64: digest.toString('base64'),
    filename: `hello-from-${name}.txt`,
  };
  const upload = await buy<Upload>({ words: 'a place for a file', path: '/uploads', body }, way);

  let startedMs = performance.now();
  const put = await fetch(upload.uploadUrl, {
    method: upload.uploadMethod,
    headers: upload.uploadHeaders,
    body: bytes,
  });
  check(put.ok, `The upload was refused with ${put.status}: ${await put.text()}`);
  printStep(`sent the ${bytes.length} bytes`, performance.now() - startedMs);

  startedMs = performance.now();
  const download = await fetch(upload.publicUrl);
  const received = Buffer.from(await download.arrayBuffer());
  check(download.ok, `The public link answers ${download.status}.`);
  check(received.equals(bytes), 'The public link gives other bytes than were uploaded.');
  printStep('read the same bytes from its public link', performance.now() - startedMs);
  return { way, upload };
}

/** Pays, as who uploaded it, for a longer life of a file. */
export async function renewUpload({ way, upload }: Bought): Promise<void> {
  const words = `a longer life for the file of ${way.network.name}, over ${way.rail.name},`;
  const answer = await buy<{ expiresAt: string }>({ words, path: `/uploads/${upload.id}/renew` }, way);
  check(
    answer.expiresAt > upload.expiresAt,
    `The link was to live past ${upload.expiresAt}, not to ${answer.expiresAt}.`,
  );
}

/** Has a file deleted, and sees that its link is gone. */
export async function deleteUpload({ way, upload }: Bought): Promise<void> {
  const words = `the deletion of the file of ${way.network.name}, over ${way.rail.name},`;
  const path = `/uploads/${upload.id}`;
  const answer = await buy<{ deleted: boolean }>({ words, path, method: 'DELETE' }, way);
  check(answer.deleted === true, 'The answer does not say that the file is deleted.');
  const gone = await fetch(upload.publicUrl);
  check(
    gone.status === 410 || gone.status === 404,
    `The public link of a deleted file answers ${gone.status}.`,
  );
}
