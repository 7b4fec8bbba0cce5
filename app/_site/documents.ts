import { currentApp } from '@/lib/app/current';
import { documents } from '@/lib/discovery/documents';
import { links } from '@/lib/discovery/linkset';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { documentRoute } from '@/lib/http/document-route';
import type { FindDocument } from '@/lib/http/documents';
import { findSecurityTxt } from './legal/security-txt';
import { readSiteConfig } from './site-config';

/** Finds the discovery document of a path. */
export const findDocument: FindDocument = async (request) => {
  const { path } = request;
  // Only own properties: callers choose the path.
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (!document) return findSecurityTxt(request);
  const site = await readSiteConfig();
  return {
    key: path,
    mediaType: document.mediaType,
    make: () => document.make(site),
    headers: { ...apiHeaders, Link: links },
  };
};

/** Serves the discovery document of the requested path to every origin. */
export const serveDocument = documentRoute(currentApp, findDocument);
