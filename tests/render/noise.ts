import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** A document of half a mebibyte whose PDF exceeds 10 MiB: filters make the browser print noise as full-page pictures. */
export function heavyHtml(): string {
  const picture = `url(data:image/png;base64,${noise(400).toString('base64')})`;
  const page = (turn: number) => `<i style="filter:hue-rotate(${turn}deg)"></i>`;
  return `<style>i{display:block;width:700px;height:900px;break-after:page;background:${picture}}</style>${page(1)}${page(2)}`;
}

/** A square PNG of random colors. */
function noise(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits each for red, green and blue.
  header.set([8, 2], 8);
  const rows = Array.from({ length: side }, () => Buffer.concat([Buffer.of(0), randomBytes(side * 3)]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
