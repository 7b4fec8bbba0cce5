/** The codes of errors that come before the first byte of a request is sent. */
const neverSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The codes of a TLS handshake that failed: the protocol, or the provider's certificate. */
const handshakeCodes =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_|HOSTNAME_MISMATCH)/;

/** Whether a fetch failed before anything was sent, so that a second attempt cannot take effect twice. */
export function wasNeverSent(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  // Several addresses of the host were tried.
  if (cause instanceof AggregateError) return cause.errors.every(isBeforeSending);
  return isBeforeSending(cause);
}

/** Whether a connection attempt took so long that another one would take too much of the call's time. */
export function wasSlowToConnect(error: unknown): boolean {
  return error instanceof Error && codeOf(error.cause) === 'UND_ERR_CONNECT_TIMEOUT';
}

function isBeforeSending(error: unknown): boolean {
  const code = codeOf(error);
  if (neverSentCodes.has(code) || handshakeCodes.test(code)) return true;
  if (!(error instanceof Error)) return false;
  // Node gives these other codes, too.
  const isConnecting = 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo');
  return isConnecting || error.message.includes('before secure TLS connection was established');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
