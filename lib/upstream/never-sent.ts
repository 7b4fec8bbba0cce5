/** The codes of errors that come before the first byte of a request is sent. */
const neverSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a fetch failed before anything was sent, so that a second attempt cannot take effect twice. */
export function wasNeverSent(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  // Several addresses of the host were tried.
  if (cause instanceof AggregateError) return cause.errors.every((one) => neverSentCodes.has(codeOf(one)));
  return neverSentCodes.has(codeOf(cause));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
