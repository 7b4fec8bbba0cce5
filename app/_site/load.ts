import type { FindDocument } from '@/lib/http/documents';

/** Loads what finds all constant documents and pages. A start does not wait for it. */
export async function loadDocuments(): Promise<FindDocument> {
  return (await import('./constant')).findConstant;
}
