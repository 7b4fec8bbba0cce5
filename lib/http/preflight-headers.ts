/**
 * The headers with which the response to OPTIONS lets a page of another origin send its request. It has those of all responses
 * too, and no other response needs these (https://fetch.spec.whatwg.org/#http-responses).
 */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': [
    ...[
      'Content-Type',
      'Authorization',
      'Payment-Authorization',
      'Idempotency-Key',
      'PAYMENT-SIGNATURE',
      'X-PAYMENT',
      'SIGN-IN-WITH-X',
    ],
    // The official x402 clients send it with a payment.
    'Access-Control-Expose-Headers',
    ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID', 'traceparent'],
    ...['tracestate', 'baggage', 'X-Requested-With', 'X-Request-Id', 'Accept-Payment', 'Cache-Control'],
    ...['If-None-Match', 'User-Agent', '*'],
  ].join(', '),
  'Access-Control-Max-Age': '86400',
};
