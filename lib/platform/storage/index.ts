import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { createDiskStore, type DiskStore } from './disk';
import { StoreHealth } from './health';
import { createRemoteStore } from './remote-store';
import { createS3Bucket } from './s3';
import type { Store } from './store';
import { createVercelBucket } from './vercel-blob';

interface StorageDeps extends Pick<Platform, 'settings' | 'clock' | 'log' | 'keys'> {}

/** An app with the store that STORAGE names. */
export interface WithStore {
  readonly store: Store;
  /** The disk store, if that is configured: the only one whose uploads this server receives itself. */
  readonly diskStore: DiskStore | null;
  readonly storeHealth: StoreHealth;
}

/** Opens the store of an app. */
export function openStore(app: StorageDeps): WithStore {
  const diskStore = app.settings.STORAGE === 'disk' ? openDiskStore(app) : null;
  const store = diskStore ?? openBucket(app);
  return { store, diskStore, storeHealth: new StoreHealth(app, store) };
}

function openBucket(app: Pick<Platform, 'settings' | 'clock' | 'log'>): Store {
  const { settings } = app;
  return settings.STORAGE === 's3'
    ? createRemoteStore(app, () => createS3Bucket(s3OptionsOf(settings)))
    : createRemoteStore(app, () =>
        createVercelBucket(app, { token: required(settings, 'BLOB_READ_WRITE_TOKEN') }),
      );
}

function openDiskStore({ settings, keys, clock, log }: StorageDeps): DiskStore {
  const store = createDiskStore({
    folder: settings.STORAGE_DIR,
    filesUrl: settings.FILES_URL,
    signingKeys: keys.derive('upload-address'),
  });
  void store.removeLeftovers(clock.date()).catch((error: unknown) => {
    log.warn({ error: describeError(error) }, 'leftovers of interrupted uploads could not be removed');
  });
  return store;
}

function s3OptionsOf(settings: Settings) {
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: required(settings, 'S3_BUCKET'),
    region: required(settings, 'S3_REGION'),
    accessKeyId: required(settings, 'S3_ACCESS_KEY_ID'),
    secretAccessKey: required(settings, 'S3_SECRET_ACCESS_KEY'),
  };
}

/** A setting that the configured store requires. parseSettings has checked it. */
function required(settings: Settings, name: keyof Settings): string {
  const value = settings[name];
  if (typeof value !== 'string') throw new Error(`${name} is not set`);
  return value;
}
