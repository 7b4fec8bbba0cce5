/** Payment headers, open to every origin: agents also live in browsers (DESIGN 3.6). */
const corsHeaders = [
  { key: 'Access-Control-Allow-Origin', value: '*' },
  { key: 'Access-Control-Allow-Methods', value: 'GET, HEAD, POST, DELETE, OPTIONS' },
  {
    key: 'Access-Control-Allow-Headers',
    // The official x402 client sends Access-Control-Expose-Headers as a request header, so preflights ask for it.
    value:
      'Content-Type, Authorization, Idempotency-Key, PAYMENT-SIGNATURE, X-PAYMENT, Access-Control-Expose-Headers',
  },
  {
    key: 'Access-Control-Expose-Headers',
    value:
      'WWW-Authenticate, Payment-Receipt, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Paid-Call-Id, Request-Id, Retry-After, Idempotent-Replayed',
  },
  { key: 'X-Content-Type-Options', value: 'nosniff' },
];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // Answers are small JSON; compressing them costs more than it saves.
  compress: false,
  // `npm run check` type-checks the whole repository; once is enough.
  typescript: { ignoreBuildErrors: true },
  // Loaded as they are: native code, WebAssembly, and packages that must exist once per process.
  serverExternalPackages: [
    '@prisma/adapter-pg',
    '@prisma/client',
    '@solana/kit',
    '@solana/web3.js',
    '@x402/core',
    '@x402/evm',
    '@x402/extensions',
    '@x402/svm',
    'mppx',
    'pg',
    'pino',
    'secp256k1',
    'viem',
  ],
  async headers() {
    return [{ source: '/v1/:path*', headers: corsHeaders }];
  },
};
