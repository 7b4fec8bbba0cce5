import type { FindDocument } from '@/lib/http/documents';
import { findDocument } from './documents';
import { findPage } from './pages';

/**
 * Everything here that depends on nothing but catalog and settings: discovery documents and the pages of the site. Our
 * listener holds it in memory.
 */
export const findConstant: FindDocument = async (request) =>
  (await findDocument(request)) ?? (await findPage(request));
