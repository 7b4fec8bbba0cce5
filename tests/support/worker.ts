import { type Program, startProgram } from './program';

/** Starts `dist/worker.js`, which has no listener, for a server with these URLs. */
export function startWorker(
  env: Record<string, string>,
  { apiUrl, filesUrl }: { apiUrl: string; filesUrl: string },
): Promise<Program> {
  return startProgram('dist/worker.js', { ...env, PUBLIC_URL: apiUrl, FILES_URL: filesUrl }, (output) =>
    output.includes('"msg":"working"'),
  );
}
