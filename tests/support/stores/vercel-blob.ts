import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Answer, type Request, startHttpServer } from './http-server';

/**
 * The part of Vercel Blob's HTTP API that writes, reads and erases objects of a private store, as in the published package
 * and "Vercel Signed URLs" in the documentation: a control API under /api/blob and the objects' own host, here on one port.
 * Presigned PUTs are checked for name, time, type and size. Digests are not checked.
 */

export const blobToken = 'vercel_blob_rw_teststore_0123456789abcdef';
const storeId = 'teststore';
const storeSecret = 'known to the service alone';

interface StoredBlob {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly uploadedAt: string;
}

interface Delegation {
  readonly pathname: string;
  readonly operations: readonly string[];
  readonly validUntil: number;
}

/** The query parameters that a presigned PUT signs in addition to the operation and the pathname. */
const signedParameters = [
  'vercel-blob-add-random-suffix',
  'vercel-blob-allow-overwrite',
  'vercel-blob-allowed-content-types',
  'vercel-blob-cache-control-max-age',
  'vercel-blob-maximum-size-in-bytes',
  'vercel-blob-valid-until',
];

const hmac = (key: string, data: string) => createHmac('sha256', key).update(data).digest('base64url');

/** `apiUrl` is for the package's own setting VERCEL_BLOB_API_URL. */
export async function startVercelBlob() {
  const blobs = new Map<string, StoredBlob>();
  const server = await startHttpServer((request) => {
    const { pathname } = request.url;
    if (!pathname.startsWith('/api/blob')) return readObject(request, blobs);
    return control(request, pathname.slice('/api/blob'.length), blobs);
  });
  return { apiUrl: `${server.url}/api/blob`, stop: server.stop };
}

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const refusal = (status: number, code: string, message: string) => json(status, { error: { code, message } });
const isOwner = ({ headers }: Request) => headers.authorization === `Bearer ${blobToken}`;

function control(request: Request, path: string, blobs: Map<string, StoredBlob>): Answer {
  const { method, url } = request;
  if (method === 'PUT') return put(request, blobs);
  if (!isOwner(request)) return refusal(403, 'forbidden', 'Access denied');
  if (method === 'POST' && path === '/signed-token') return json(200, issueToken(request));
  if (method === 'POST' && path === '/delete') {
    const { urls } = JSON.parse(request.body.toString()) as { urls: string[] };
    for (const name of urls) blobs.delete(name);
    return json(200, {});
  }
  const name = url.searchParams.get('url');
  const found = name === null ? undefined : blobs.get(name);
  if (method !== 'GET' || !name || !found)
    return refusal(404, 'not_found', 'The requested blob does not exist');
  const { bytes, contentType, uploadedAt } = found;
  return json(200, { ...metadataOf(request, name, contentType, bytes), size: bytes.length, uploadedAt });
}

function issueToken({ body }: Request) {
  const { pathname = '*', operations, validUntil } = JSON.parse(body.toString()) as Partial<Delegation>;
  const payload = JSON.stringify({ storeId, pathname, operations, validUntil });
  const encoded = Buffer.from(payload).toString('base64url');
  const delegationToken = `${encoded}.${hmac(storeSecret, encoded)}`;
  return { delegationToken, clientSigningToken: hmac(storeSecret, delegationToken), validUntil };
}

function put(request: Request, blobs: Map<string, StoredBlob>): Answer {
  const { url, headers, body } = request;
  const name = url.searchParams.get('pathname') ?? '';
  const contentType = String(headers['x-content-type'] ?? 'application/octet-stream');
  const isPresigned = url.searchParams.has('vercel-blob-signature');
  const fault = isPresigned
    ? presignedFault(request, name, contentType)
    : !isOwner(request) && 'Access denied';
  if (fault) return refusal(403, 'forbidden', fault);
  if (headers['x-vercel-blob-access'] !== 'private') {
    return refusal(400, 'bad_request', 'Cannot use public access on a private store');
  }
  const mayOverwrite = isPresigned
    ? url.searchParams.get('vercel-blob-allow-overwrite') === 'true'
    : headers['x-allow-overwrite'] === '1';
  if (blobs.has(name) && !mayOverwrite) return refusal(400, 'bad_request', 'This blob already exists');
  blobs.set(name, { bytes: body, contentType, uploadedAt: new Date().toISOString() });
  return json(200, metadataOf(request, name, contentType, body));
}

/** The reason to refuse a presigned PUT; false if it is valid. */
function presignedFault({ url, body }: Request, name: string, contentType: string): string | false {
  const query = url.searchParams;
  const delegationToken = query.get('vercel-blob-delegation') ?? '';
  const [encoded = '', seal = ''] = delegationToken.split('.');
  if (!isEqual(seal, hmac(storeSecret, encoded))) return 'Invalid delegation';
  const delegation = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Delegation;
  const lines = ['operation=put', `pathname=${name}`];
  for (const parameter of signedParameters) {
    const value = query.get(parameter);
    if (value) lines.push(`${parameter}=${value}`);
  }
  const signature = hmac(hmac(storeSecret, delegationToken), lines.sort().join('\n'));
  if (!isEqual(query.get('vercel-blob-signature') ?? '', signature)) return 'Invalid signature';
  if (!delegation.operations.includes('put')) return 'Operation not allowed';
  if (delegation.pathname !== '*' && delegation.pathname !== name) return 'Pathname not allowed';
  const validUntil = Number(query.get('vercel-blob-valid-until') ?? delegation.validUntil);
  if (Date.now() > Math.min(validUntil, delegation.validUntil)) return 'Token expired';
  const types = query.get('vercel-blob-allowed-content-types')?.split(',') ?? [contentType];
  if (!types.includes(contentType)) return `"contentType" ${contentType} is not allowed`;
  const sizeMax = Number(query.get('vercel-blob-maximum-size-in-bytes') ?? Number.POSITIVE_INFINITY);
  return body.length > sizeMax && `the file length cannot be greater than ${sizeMax}`;
}

function metadataOf({ headers }: Request, name: string, contentType: string, bytes: Buffer) {
  const url = `http://${headers.host}/${name}`;
  return {
    url,
    downloadUrl: `${url}?download=1`,
    pathname: name,
    contentType,
    contentDisposition: 'attachment',
    cacheControl: 'public, max-age=60',
    etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
  };
}

/** The objects' own host: the bearer token of the store opens a private blob, whole or in part. */
function readObject(request: Request, blobs: Map<string, StoredBlob>): Answer {
  const { method, url, headers } = request;
  if (!isOwner(request)) return { status: 403, body: 'Forbidden' };
  const found = blobs.get(url.pathname.slice(1));
  if (method !== 'GET' || !found) return { status: 404, body: 'Not found' };
  const { bytes, contentType } = found;
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (start === undefined) return { status: 200, headers: { 'content-type': contentType }, body: bytes };
  return {
    status: 206,
    headers: { 'content-type': contentType, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
    body: bytes.subarray(Number(start), Number(end) + 1),
  };
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
