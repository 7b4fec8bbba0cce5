import { currentApp } from '@/lib/app/current';
import { documents } from '@/lib/discovery/documents';
import { links } from '@/lib/discovery/linkset';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { documentRoute } from '@/lib/http/document-route';
import type { FindDocument } from '@/lib/http/documents';
import { findAdapterFile } from './adapter-files';
import { findSecurityTxt } from './legal/security-txt';
import { findLlmsFull } from './llms-full';
import { findPage } from './pages';
import { readSiteConfig } from './site-config';

/**
 * Everything here that depends on nothing but the build, the catalog and the settings: discovery documents, the files of the
 * MCP adapter and the pages of the site. Our listener holds it in memory.
 */
export const findConstant: FindDocument = async (request) =>
  (await findDocument(request)) ?? (await findAdapterFile(request)) ?? (await findPage(request));

/** Serves the constant document or page of the requested path, for the framework. */
export const serveConstant = documentRoute(currentApp, findConstant);

/** Finds the discovery document of a path. */
const findDocument: FindDocument = async (request) => {
  const { path } = request;
  // Only own properties: callers choose the path.
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (!document) return (await findSecurityTxt(request)) ?? findLlmsFull(request);
  const site = await readSiteConfig();
  return {
    key: path,
    mediaType: document.mediaType,
    make: () => document.make(site),
    headers: { ...apiHeaders, Link: links },
  };
};
