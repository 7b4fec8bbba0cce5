import { Readable } from 'node:stream';
import type { S3ServiceException } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket';
import { partOf } from './part-of';
import { putHeaders } from './upload-address';

export interface S3Options {
  /** Of a service other than AWS; its buckets are then addressed by path. */
  readonly endpoint: string | undefined;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Presigned addresses are dated back from their end by this much, so that the same slot, told again, has the same
 * address. Longer than any address lives, and under the week that a signature can last.
 */
const signatureSeconds = 6 * 3_600;

/** Headers of a PUT that the signature covers: another length, type or digest than announced is another signature. */
const signedHeaders = new Set(['host', ...Object.keys(putHeaders({ mime: '', sizeBytes: 0, sha256: '' }))]);
/** The presigner would move `x-amz-*` into the query, where nobody has to send them. */
const unhoistableHeaders = new Set([...signedHeaders].filter((name) => name.startsWith('x-amz-')));

/**
 * A bucket of Amazon S3 or of a service that speaks its protocol. The digest is a signed header of each PUT, which S3
 * holds against the body; nothing else relies on that. The packages are loaded here, because other stores need none of
 * them.
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
    // The default adds a CRC32 to every request, which not every service understands, and which no client would send.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
      // A body that stops coming; also one that a slow client takes less than once a minute from.
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

/** A missing object is 404 NoSuchKey, or 404 NotFound without a body for HEAD. A missing bucket is a failure. */
function nullWhenMissing(error: unknown): null {
  const { name, $metadata } = error as Partial<S3ServiceException>;
  if ($metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket') return null;
  throw error;
}
