import { gunzipSync, gzipSync } from 'node:zlib';
import type { Bytes } from '@/lib/http/api-message';

/** What the build writes into the programs: the default service, padded with spaces (scripts/build-mcp.mjs). */
const builtIn = /"default-service=([^" ]+ *)"/g;

/**
 * A program, or an npm package of programs, that calls a service by default. The bytes stay the same if it does so already, as
 * it does when the build knew `PUBLIC_URL`. Lengths do not change, so an archive stays valid.
 */
export function withDefaultService(file: Bytes, publicUrl: string): Bytes {
  const isPackage = file[0] === 0x1f && file[1] === 0x8b;
  const text = Buffer.from(isPackage ? gunzipSync(file) : file).toString('latin1');
  const changed = text.replaceAll(builtIn, (whole, room: string) =>
    publicUrl.length > room.length ? whole : `"default-service=${publicUrl.padEnd(room.length)}"`,
  );
  if (changed === text) return file;
  const bytes = Buffer.from(changed, 'latin1');
  return new Uint8Array(isPackage ? gzipSync(bytes) : bytes);
}
