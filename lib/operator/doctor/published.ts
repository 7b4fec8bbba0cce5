import { gzipSync } from 'node:zlib';
import { type Operation, pathWith } from '@/lib/catalog/operation';
import { forAgents } from '@/lib/discovery/contents';
import { parseJson } from '@/lib/platform/json';
import type { Platform } from '@/lib/platform/platform';
import { isAvailable } from '@/lib/platform/upstream/availability';

const answerMs = 10_000;

/** What the service publishes at PUBLIC_URL, as a catalog's crawler reads it. */
export interface Published {
  readonly publicUrl: string;
  /** `/openapi.json`, with its size on the way and its media type. */
  readonly openApi: { readonly document: unknown; readonly bytes: number; readonly mediaType: string };
  /** `/.well-known/mcp-server.json` */
  readonly mcpServer: unknown;
  /** The answers to unsigned requests without a body, by call. `terms` is the decoded PAYMENT-REQUIRED header. */
  readonly x402: readonly (UnsignedAnswer & { readonly terms: unknown })[];
  /** `challenges` is the WWW-Authenticate header. */
  readonly mpp: readonly (UnsignedAnswer & { readonly challenges: string })[];
}

interface UnsignedAnswer {
  readonly call: string;
  readonly url: string;
  readonly status: number;
}

/** Reads it. Throws if nothing responds. */
export async function readPublished(app: Pick<Platform, 'settings'>): Promise<Published> {
  const { PUBLIC_URL: publicUrl } = app.settings;
  const offered = forAgents({ isAvailable: (one) => isAvailable(app, one) }).operations;
  const [openApi, mcpServer] = await Promise.all([
    ask(`${publicUrl}/openapi.json`),
    ask(`${publicUrl}/.well-known/mcp-server.json`),
  ]);
  const text = await openApi.text();
  const x402: Published['x402'][number][] = [];
  const mpp: Published['mpp'][number][] = [];
  for (const operation of offered) {
    const [ofX402, ofMpp] = await Promise.all([
      askUnsigned(publicUrl, operation, operation.paths.x402),
      operation.paths.mpp === undefined ? null : askUnsigned(publicUrl, operation, operation.paths.mpp),
    ]);
    const header = ofX402.headers.get('PAYMENT-REQUIRED') ?? '';
    x402.push({ ...ofX402, terms: parseJson(Buffer.from(header, 'base64').toString()) });
    if (ofMpp) mpp.push({ ...ofMpp, challenges: ofMpp.headers.get('WWW-Authenticate') ?? '' });
  }
  return {
    publicUrl,
    openApi: {
      document: parseJson(text),
      bytes: sizeOnTheWay(openApi.headers, text),
      mediaType: openApi.headers.get('content-type') ?? '',
    },
    mcpServer: parseJson(await mcpServer.text()),
    x402,
    mpp,
  };
}

/** A compressed response without its length counts as gzip makes it. */
function sizeOnTheWay(headers: Headers, text: string): number {
  const length = headers.get('content-length');
  if (length !== null) return Number(length);
  return headers.has('content-encoding') ? gzipSync(text).length : Buffer.byteLength(text);
}

async function askUnsigned(publicUrl: string, { id, method, example }: Operation, path: string) {
  const url = `${publicUrl}${pathWith(path, example.params)}`;
  const { status, headers } = await ask(url, { method });
  return { call: id, url, status, headers };
}

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerMs), ...init });
}
