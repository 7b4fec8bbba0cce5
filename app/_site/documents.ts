import { documents } from '@/lib/discovery/documents';
import { links } from '@/lib/discovery/linkset';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
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
