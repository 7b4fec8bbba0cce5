import { createHash, createHmac } from 'node:crypto';
import type { Answer, Request } from './http-server';

/**
 * What Amazon S3 checks before it touches an object: signature version 4 in the query or in the header, the expiry of
 * presigned URLs, that every `x-amz-*` header is signed, that a PUT has a length and matches the checksum that it
 * declares. Follows the AWS documentation ("Authenticating Requests: Using Query Parameters", "Checking object integrity").
 */

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Fault {
  readonly status: number;
  readonly code: string;
}

interface Signature {
  readonly credential: readonly string[];
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly payloadHash: string;
  readonly isPresigned: boolean;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data);
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** Null when S3 would proceed to execute the request. */
export function checkAsAmazonDoes(request: Request, keys: S3Keys): S3Fault | null {
  const { method, headers, body, url } = request;
  if (method === 'PUT' && headers['content-length'] === undefined) {
    return { status: 411, code: 'MissingContentLength' };
  }
  const given = signatureOf(request);
  if (!given) return { status: 403, code: 'AccessDenied' };
  if (given.credential[0] !== keys.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
  if (given.isPresigned) {
    const end = Date.parse(isoOf(given.date)) + Number(url.searchParams.get('X-Amz-Expires')) * 1000;
    if (Date.now() > end) return { status: 403, code: 'AccessDenied' };
  }
  const unsigned = Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && !given.signedHeaders.includes(name),
  );
  if (unsigned.length > 0) return { status: 403, code: 'AccessDenied' };
  if (given.signature !== expectedSignature(request, given, keys)) {
    return { status: 403, code: 'SignatureDoesNotMatch' };
  }
  if (/^[0-9a-f]{64}$/.test(given.payloadHash) && sha256(body).digest('hex') !== given.payloadHash) {
    return { status: 400, code: 'XAmzContentSHA256Mismatch' };
  }
  const checksum = headers['x-amz-checksum-sha256'];
  if (method === 'PUT' && checksum !== undefined && sha256(body).digest('base64') !== checksum) {
    return { status: 400, code: 'BadDigest' };
  }
  return null;
}

export function s3Error({ status, code }: S3Fault): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function signatureOf({ url, headers }: Request): Signature | null {
  const query = url.searchParams;
  if (query.get('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256') {
    return {
      credential: (query.get('X-Amz-Credential') ?? '').split('/'),
      date: query.get('X-Amz-Date') ?? '',
      signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
      signature: query.get('X-Amz-Signature') ?? '',
      payloadHash: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
      isPresigned: true,
    };
  }
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), *SignedHeaders=([^,]+), *Signature=([0-9a-f]+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (!signature) return null;
  return {
    credential: credential.split('/'),
    date: String(headers['x-amz-date']),
    signedHeaders: signedHeaders.split(';'),
    signature,
    payloadHash: String(headers['x-amz-content-sha256']),
    isPresigned: false,
  };
}

function expectedSignature({ method, target, headers }: Request, given: Signature, keys: S3Keys): string {
  const [path = '', search = ''] = target.split('?');
  const query = search
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort();
  const named = given.signedHeaders.map((name) => {
    const value = headers[name];
    return `${name}:${String(value ?? '')
      .trim()
      .replace(/ +/g, ' ')}\n`;
  });
  const canonical = [
    method,
    path,
    query.join('&'),
    named.join(''),
    given.signedHeaders.join(';'),
    given.payloadHash,
  ].join('\n');
  const [, day = '', region = '', service = ''] = given.credential;
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', given.date, scope, sha256(canonical).digest('hex')].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  return hmac(key, text).toString('hex');
}

/** 20261201T010000Z as 2026-12-01T01:00:00Z. */
function isoOf(date: string): string {
  return date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
}
