import { currentApp } from '@/lib/app/current';
import { documentRoute } from '@/lib/http/document-route';
import type { FindDocument } from '@/lib/http/documents';
import { findAdapterFile } from './adapter-files';
import { findDocument } from './documents';
import { findPage } from './pages';

/**
 * Everything here that depends on nothing but the build, the catalog and the settings: discovery documents, the files of the
 * MCP adapter and the pages of the site. Our listener holds it in memory.
 */
export const findConstant: FindDocument = async (request) =>
  (await findDocument(request)) ?? (await findAdapterFile(request)) ?? (await findPage(request));

/** Serves the constant document or page of the requested path, for the framework. */
export const serveConstant = documentRoute(currentApp, findConstant);
