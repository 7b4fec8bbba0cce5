import { currentApp } from '@/lib/app/current';
import { documents } from '@/lib/discovery/documents';
import { links } from '@/lib/discovery/linkset';
import apiHeaders from '@/lib/http/api-headers.json';
import { documentRoute } from '@/lib/http/document-route';
import { readSiteConfig } from './site-config';

/** Serves the discovery document of the requested path to every origin. */
export const serveDocument = documentRoute(currentApp, async (request) => {
  const { pathname } = new URL(request.url);
  // Only own properties: callers choose the path.
  const document = Object.hasOwn(documents, pathname) ? documents[pathname] : undefined;
  if (!document) return null;
  const site = await readSiteConfig();
  return {
    key: pathname,
    mediaType: document.mediaType,
    make: () => document.make(site),
    headers: { ...apiHeaders, Link: links },
  };
});
