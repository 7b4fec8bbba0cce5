import { documents } from '@/lib/discovery/documents';
import { links } from '@/lib/discovery/linkset';
import { documentRoute } from '@/lib/http/document-route';
import { placeOfThisService } from './place';

/** Serves the discovery document of the path that is asked for. */
export const serveDocument = documentRoute(async (path) => {
  // Own properties only: the path is anybody's.
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (!document) return null;
  const place = await placeOfThisService();
  return { mediaType: document.mediaType, make: () => document.make(place), headers: { Link: links } };
});
