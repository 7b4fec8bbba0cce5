import { ApiError, type Issue } from '@/lib/catalog/errors/api-error';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { DiskStore, ReceiveResult } from '@/lib/platform/storage/disk';
import { putHeaders } from '@/lib/platform/storage/upload-address';
import { type AwaitedUpload, dropIfOver, getAwaitedUpload } from '@/lib/services/uploads/arrival';
import { objectKey } from '@/lib/services/uploads/slot';
import { publicUrl } from '@/lib/services/uploads/slug';
import type { FileRequest, FileResponse } from './file-message';

interface ReceiveFileDeps
  extends Pick<
    WithDatabase & WithStore & Platform,
    'db' | 'store' | 'diskStore' | 'settings' | 'clock' | 'log'
  > {}

/**
 * Handles the PUT of a reserved file. Everything that can be refused is refused before the body is read, and only exactly
 * the reserved bytes are ever stored. A stored file does not change: a retry of the same PUT succeeds, and any other PUT
 * gets upload_complete.
 */

const rules = {
  'content-type': 'must be the reserved type',
  'content-length': 'must be the reserved size',
  'x-amz-checksum-sha256': 'must be the reserved SHA-256 in base64',
  'x-amz-meta-sha256': 'must be the reserved SHA-256 in hex',
} as const;

const bodyRules = {
  short: 'must have the reserved size',
  long: 'must have the reserved size',
  altered: 'must have the reserved SHA-256',
} as const;

/**
 * Answers 200 with `{id, publicUrl, size, sha256}` when the file of the upload is stored.
 * @throws ApiError for every refusal, with the rest of the body still unread, and the request's own error when the
 *   client disconnected
 */
export async function receiveFile(
  app: ReceiveFileDeps,
  request: FileRequest,
  { id, query }: { id: string; query: URLSearchParams },
): Promise<FileResponse> {
  const key = objectKey(id);
  const { diskStore } = app;
  // Other stores have upload URLs of their own.
  if (!diskStore) throw new ApiError('upload_url_invalid');
  checkAddress(app, diskStore, key, query);
  const upload = await getAwaitedUpload(app, id);
  const issues = differencesOf(request, upload);
  if (issues.length > 0) throw await mismatch(diskStore, key, issues);

  const received = await diskStore.receive(key, request.body(), upload);
  const refusal = refusalOf(received);
  if (refusal) throw refusal;
  if (await dropIfOver(app, id)) throw new ApiError('upload_url_expired');

  const body = JSON.stringify({
    id,
    publicUrl: publicUrl(app, upload),
    size: upload.sizeBytes,
    sha256: upload.sha256,
  });
  const headers = {
    ETag: `"${upload.sha256}"`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
  };
  return { status: 200, headers, body };
}

function checkAddress(
  app: Pick<Platform, 'clock'>,
  diskStore: DiskStore,
  key: string,
  query: URLSearchParams,
): void {
  const claim = { key, expires: query.get('expires'), signature: query.get('signature') };
  switch (diskStore.checkAddress(claim, app.clock.date())) {
    case 'forged':
      throw new ApiError('upload_url_invalid');
    case 'expired':
      throw new ApiError('upload_url_expired');
    case 'open':
      return;
  }
}

/** The headers that differ from the announcement. Throws length_required if there is no Content-Length. */
function differencesOf({ header }: FileRequest, upload: AwaitedUpload): Issue[] {
  const [type, length] = [header('content-type'), header('content-length')];
  if (typeof length !== 'string') throw new ApiError('length_required');
  const announced = putHeaders(upload);
  const agrees: Record<keyof typeof rules, boolean> = {
    // Clients change the letter case and spacing of a type. Nothing else in it may differ.
    'content-type': normalType(type) === normalType(announced['content-type']),
    'content-length': Number(length) === upload.sizeBytes,
    'x-amz-checksum-sha256': header('x-amz-checksum-sha256') === announced['x-amz-checksum-sha256'],
    'x-amz-meta-sha256': header('x-amz-meta-sha256') === announced['x-amz-meta-sha256'],
  };
  const names = Object.keys(rules) as (keyof typeof rules)[];
  return names
    .filter((name) => !agrees[name])
    .map((name) => ({ path: name, rule: typeof header(name) !== 'string' ? 'is required' : rules[name] }));
}

function normalType(type: string | null | undefined): string | undefined {
  return type
    ?.toLowerCase()
    .split(';')
    .map((part) => part.trim())
    .join(';');
}

async function mismatch(diskStore: DiskStore, key: string, issues: Issue[]): Promise<ApiError> {
  const isStored = (await diskStore.sizeOf(key)) !== null;
  return new ApiError(isStored ? 'upload_complete' : 'upload_mismatch', { issues });
}

function refusalOf(received: ReceiveResult): ApiError | null {
  switch (received) {
    case 'stored':
    case 'repeated':
      return null;
    case 'short':
    case 'long':
    case 'altered':
      return new ApiError('upload_mismatch', { issues: [{ path: 'body', rule: bodyRules[received] }] });
    case 'occupied':
      return new ApiError('upload_complete', { issues: [{ path: 'body', rule: bodyRules.altered }] });
    case 'full':
      return new ApiError('service_unavailable', {
        message: 'The file cannot be stored right now. Nothing was stored. Send it again later.',
        retryAfterSeconds: 30,
      });
  }
}
