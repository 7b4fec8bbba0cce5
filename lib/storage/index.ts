import { derivedKeys } from '@/lib/data-key';
import { env } from '@/lib/env';
import { describeError, log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { createDiskStore, type DiskStore } from './disk';
import type { Store } from './store';

/** The store of this process, chosen by STORAGE. */
export function store(): Store {
  switch (env().STORAGE) {
    case 'disk':
      return diskStore();
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
