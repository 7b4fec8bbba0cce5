import type { ServiceApp } from '@/lib/services/service';
import { type AnnouncedFile, isOver, objectKey } from './slot';

/**
 * What `look` finds of an upload in the store. When that is nothing, the bytes may have been put past this server and
 * wait to be checked: then they are, and `look` is asked again, also when somebody else adopted them meanwhile.
 */
export async function findFile<T>(
  app: ServiceApp,
  upload: AnnouncedFile,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const found = await look();
  if (found !== null || app.store.receivesPuts) return found;
  const adoption = await app.store.adopt(objectKey(upload.id), upload);
  if (adoption === 'altered') app.log.warn({ uploadId: upload.id }, 'what was put is not the announced file');
  if (adoption === 'adopted') await dropIfOver(app, upload.id);
  return look();
}

/** An upload that was deleted while its bytes came in may have been erased before they had their name. */
export async function dropIfOver(app: ServiceApp, id: string): Promise<boolean> {
  const upload = await app.db.upload.findUnique({
    where: { id },
    select: { expiresAt: true, deletedAt: true },
  });
  if (upload && !isOver(upload, app.clock.date())) return false;
  await app.store.remove(objectKey(id));
  return true;
}
