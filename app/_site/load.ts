import type { FindDocument } from '@/lib/http/documents';
import type { ExplainMethods } from '@/lib/http/server/answer-path';

/** Loads the function that finds all constant documents and pages. Startup does not wait for it. */
export async function loadDocuments(): Promise<FindDocument> {
  return (await import('./constant')).findConstant;
}

/** Loaded only when needed, because API routes render nothing else. */
export const explainMethods: ExplainMethods = async (request, allow, status) => {
  const { explainMethods } = await import('./explain-methods');
  return explainMethods(request, allow, status);
};
