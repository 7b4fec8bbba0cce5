import { Readable } from 'node:stream';
import type { S3ServiceException } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket';
import { partOf } from './part-of';
import { putHeaders } from './upload-address';

export interface S3Options {
  /** The endpoint of a service other than AWS. Its buckets are addressed by path. */
  readonly endpoint: string | undefined;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Presigned URLs are signed as of this long before their expiry, so that the same slot always has the same URL. Longer
 * than any URL is valid, shorter than a signature may last (a week).
 */
const signatureSeconds = 6 * 3_600;

/** The headers of a PUT that the signature covers, so that length, type and digest cannot differ. */
const signedHeaders = new Set(['host', ...Object.keys(putHeaders({ mime: '', sizeBytes: 0, sha256: '' }))]);
/** The presigner would move `x-amz-*` into the query, where clients need not send them. */
const unhoistableHeaders = new Set([...signedHeaders].filter((name) => name.startsWith('x-amz-')));

/**
 * A bucket of Amazon S3 or a compatible service. Each PUT has the digest in a signed header, which S3 compares with the
 * body, but nothing relies on that. The packages are loaded here because other stores do not need them.
 */
export async function createS3Bucket(options: S3Options): Promise<Bucket> {
  const [s3, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const client = new s3.S3Client({
    endpoint: options.endpoint,
    forcePathStyle: options.endpoint !== undefined,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    // The default adds a CRC32 to every request, which some services do not support and no client sends.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
      // For a response body that stalls, even if only because its client reads less than once a minute.
      socketTimeout: 60_000,
    },
  });
  const place = (name: string) => ({ Bucket: options.bucket, Key: name });

  return {
    async presignPut(grant) {
      const headers = putHeaders(grant);
      const command = new s3.PutObjectCommand({
        ...place(grant.key),
        ContentType: headers['content-type'],
        ContentLength: grant.sizeBytes,
        ChecksumSHA256: headers['x-amz-checksum-sha256'],
        Metadata: { sha256: grant.sha256 },
      });
      const url = await getSignedUrl(client, command, {
        signingDate: new Date(grant.expiresAt.getTime() - signatureSeconds * 1_000),
        expiresIn: signatureSeconds,
        signableHeaders: signedHeaders,
        unhoistableHeaders,
      });
      return { url, method: 'PUT', headers };
    },

    async write(name, bytes, { mime, sha256 }) {
      const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
      await client.send(
        new s3.PutObjectCommand({ ...place(name), Body: bytes, ContentType: mime, ChecksumSHA256 }),
      );
    },

    async read(name, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        const { Body, ContentRange } = await client.send(new s3.GetObjectCommand({ ...place(name), Range }));
        if (!(Body instanceof Readable)) throw new Error('the object has no body that can be read');
        return range ? partOf(Body, ContentRange, range) : Body;
      } catch (error) {
        return nullWhenMissing(error);
      }
    },

    async sizeOf(name) {
      try {
        const { ContentLength } = await client.send(new s3.HeadObjectCommand(place(name)));
        return ContentLength ?? null;
      } catch (error) {
        return nullWhenMissing(error);
      }
    },

    async erase(name) {
      await client.send(new s3.DeleteObjectCommand(place(name)));
    },
  };
}

/** A missing object is 404 NoSuchKey, or 404 NotFound without a body for HEAD. A missing bucket is an error. */
function nullWhenMissing(error: unknown): null {
  const { name, $metadata } = error as Partial<S3ServiceException>;
  if ($metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket') return null;
  throw error;
}
