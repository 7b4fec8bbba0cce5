// Baseline of `put`: bare node:http that streams a body to a file while hashing it, and renames it when the SHA-256 is right.
// `?flush` also waits until the bytes and the name are on the disk, as ours does.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = process.argv[2] ?? '';
await mkdir(folder, { recursive: true });
let written = 0;

const server = createServer(async (req, res) => {
  const file = path.join(folder, String(++written));
  const hash = createHash('sha256');
  req.on('data', (chunk: Buffer) => hash.update(chunk));
  await pipeline(req, createWriteStream(`${file}.part`));
  if (hash.digest('hex') !== req.headers['x-amz-meta-sha256']) {
    res.writeHead(400).end();
    return;
  }
  const mustFlush = req.url?.endsWith('?flush');
  if (mustFlush) await flush(`${file}.part`, 'r+');
  await rename(`${file}.part`, file);
  if (mustFlush) await flush(folder, 'r');
  res.writeHead(200).end();
});

async function flush(target: string, mode: string): Promise<void> {
  const handle = await open(target, mode);
  await handle.sync();
  await handle.close();
}

server.listen(0, '127.0.0.1', () =>
  process.send?.({ isReady: true, port: (server.address() as AddressInfo).port }),
);
