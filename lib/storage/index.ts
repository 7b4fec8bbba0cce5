import { derivedKeys } from '@/lib/platform/data-key';
import { describeError, log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { type Env, env } from '@/lib/platform/settings';
import { createDiskStore, type DiskStore } from './disk';
import { createRemoteStore } from './remote';
import { createS3Bucket } from './s3';
import type { Store } from './store';
import { createVercelBucket } from './vercel-blob';

/** The store of this process, chosen by STORAGE. */
export function store(): Store {
  const settings = env();
  switch (settings.STORAGE) {
    case 'disk':
      return diskStore();
    case 's3':
      return processWide('s3-store', () => createRemoteStore(() => createS3Bucket(s3OptionsOf(settings))));
    case 'vercel-blob':
      return processWide('vercel-blob-store', () =>
        createRemoteStore(() => createVercelBucket({ token: set(settings, 'BLOB_READ_WRITE_TOKEN') })),
      );
  }
}

/** The disk store, for the files origin: it is the one store whose uploads this server receives itself. */
export function diskStore(): DiskStore {
  return processWide('disk-store', () => {
    const created = createDiskStore({
      folder: env().STORAGE_DIR,
      filesUrl: env().FILES_URL,
      signingKeys: derivedKeys('upload-address'),
    });
    void created.removeLeftovers(new Date()).catch((error: unknown) => {
      log().warn({ error: describeError(error) }, 'leftovers of interrupted uploads could not be removed');
    });
    return created;
  });
}

function s3OptionsOf(settings: Env) {
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: set(settings, 'S3_BUCKET'),
    region: set(settings, 'S3_REGION'),
    accessKeyId: set(settings, 'S3_ACCESS_KEY_ID'),
    secretAccessKey: set(settings, 'S3_SECRET_ACCESS_KEY'),
  };
}

/** A setting that the chosen store needs; env.ts has refused to start without it. */
function set(settings: Env, name: keyof Env): string {
  const value = settings[name];
  if (typeof value !== 'string') throw new Error(`${name} is not set`);
  return value;
}
