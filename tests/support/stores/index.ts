import { s3Bucket, s3Keys, s3Region, startS3 } from './s3';
import { blobToken, startVercelBlob } from './vercel-blob';

/** A remote store to test with, and the settings of a server that uses it. */
export interface RemoteService {
  readonly serverEnv: Record<string, string>;
  stop(): Promise<void>;
}

async function s3(isChecking: boolean): Promise<RemoteService> {
  const { endpoint, stop } = await startS3({ isChecking });
  const serverEnv = {
    STORAGE: 's3',
    S3_ENDPOINT: endpoint,
    S3_BUCKET: s3Bucket,
    S3_REGION: s3Region,
    S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
  };
  return { serverEnv, stop };
}

async function vercelBlob(): Promise<RemoteService> {
  const { apiUrl, stop } = await startVercelBlob();
  const serverEnv = {
    STORAGE: 'vercel-blob',
    BLOB_READ_WRITE_TOKEN: blobToken,
    VERCEL_BLOB_API_URL: apiUrl,
  };
  return { serverEnv, stop };
}

/** Every kind of remote service, from the strictest to the most lenient. */
export const remoteServices = {
  's3, checking': () => s3(true),
  's3, trusting': () => s3(false),
  'vercel-blob': vercelBlob,
} as const;

export type RemoteServiceName = keyof typeof remoteServices;
export const remoteServiceNames = Object.keys(remoteServices) as RemoteServiceName[];
