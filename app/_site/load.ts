import type { FindDocument } from '@/lib/http/documents';

/** Loads the function that finds all constant documents and pages. Startup does not wait for it. */
export async function loadDocuments(): Promise<FindDocument> {
  return (await import('./constant')).findConstant;
}
