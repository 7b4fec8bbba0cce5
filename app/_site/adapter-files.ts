import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { currentApp } from '@/lib/app/current';
import {
  type AdapterFileName,
  adapterChecksumsPath,
  adapterFileNames,
  adapterFiles,
} from '@/lib/catalog/adapter';
import type { SiteConfig } from '@/lib/discovery/site-config';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import type { Bytes } from '@/lib/http/api-message';
import type { FindDocument } from '@/lib/http/documents';

/** What the build writes into the programs: the default service, padded with spaces (scripts/build-mcp.mjs). */
const builtIn = /"default-service=([^" ]+ *)"/g;

/**
 * A program, or an npm package of programs, that calls a service by default. The bytes stay the same if it does so already, as
 * it does when the build knew `PUBLIC_URL`. Lengths do not change, so an archive stays valid.
 */
function withDefaultService(file: Bytes, publicUrl: string): Bytes {
  const isPackage = file[0] === 0x1f && file[1] === 0x8b;
  const text = Buffer.from(isPackage ? gunzipSync(file) : file).toString('latin1');
  const changed = text.replaceAll(builtIn, (whole, room: string) =>
    publicUrl.length > room.length ? whole : `"default-service=${publicUrl.padEnd(room.length)}"`,
  );
  if (changed === text) return file;
  const bytes = Buffer.from(changed, 'latin1');
  return new Uint8Array(isPackage ? gzipSync(bytes) : bytes);
}

/** The MCP adapter, which the service distributes itself. The build writes it to this folder (scripts/build-mcp.mjs). */

const folder = () => path.join(process.cwd(), 'dist', 'adapter');

/** Reads a file of the adapter, which by default calls this service. The caller chooses among known ones. */
async function readAdapterFile(name: AdapterFileName): Promise<Bytes> {
  const file = await readFile(path.join(folder(), path.basename(adapterFiles[name].path)));
  return withDefaultService(new Uint8Array(file), currentApp().settings.PUBLIC_URL);
}

type Digests = SiteConfig['adapterDigests'];

let digests: Promise<Digests> | undefined;

/** The SHA-256 of each file, in lower case hex. */
export function adapterDigests(): Promise<Digests> {
  digests ??= digestFiles();
  return digests;
}

async function digestFiles(): Promise<Digests> {
  const digested = adapterFileNames.map(async (name) => {
    const bytes = await readAdapterFile(name);
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digested)) as Digests;
}

/** For `sha256sum --check`: a digest, two spaces and a file name on each line. */
async function checksums(): Promise<string> {
  const known = await adapterDigests();
  return adapterFileNames
    .map((name) => `${known[name]}  ${path.basename(adapterFiles[name].path)}\n`)
    .join('');
}

const headers = {
  ...apiHeaders,
  // Another version has another path.
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
};

/** Finds a file of the adapter by its path. Programs are text, which is compressed on the way. */
export const findAdapterFile: FindDocument = async ({ path: key }) => {
  if (key === adapterChecksumsPath)
    return { key, mediaType: 'text/plain; charset=utf-8', make: checksums, headers };
  const name = adapterFileNames.find((one) => adapterFiles[one].path === key);
  if (!name) return null;
  const { mediaType } = adapterFiles[name];
  const make = async () => {
    const bytes = await readAdapterFile(name);
    return mediaType.startsWith('text/') ? new TextDecoder().decode(bytes) : bytes;
  };
  return { key, mediaType, make, headers };
};
