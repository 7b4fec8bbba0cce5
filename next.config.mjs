import { readFileSync } from 'node:fs';

/**
 * Payment headers, open to every origin: agents also live in browsers (docs/paying-with-x402.md). The official x402 client sends
 * Access-Control-Expose-Headers as a request header, so preflights ask for it. The front door sends the same.
 */
const apiHeaders = JSON.parse(readFileSync(new URL('./lib/http/api-headers.json', import.meta.url), 'utf8'));

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // Answers are small JSON; compressing them costs more than it saves. Pages are compressed by the listener.
  compress: false,
  outputFileTracingIncludes: {
    '/deposit/**': ['./public/deposit/assets/manifest.json'],
    '/f/**': ['./public/f/assets/manifest.json'],
    '/operator/**': ['./public/operator/assets/manifest.json'],
    // Every route runs the app, which brings its database up to date when it starts.
    '/**': [
      './public/site/assets/manifest.json',
      './docs/*.md',
      './prisma/migrations/**',
      // A program and what it runs from, see scripts/program.cjs.
      './dist/package.json',
      './dist/check-thread.{js,bundle.js,bundle.js.cache}',
    ],
  },
  // `npm run check` type-checks the whole repository; once is enough.
  typescript: { ignoreBuildErrors: true },
  // Loaded as they are: native code, WebAssembly, and packages that must exist once per process.
  serverExternalPackages: [
    '@aws-sdk/client-s3',
    '@aws-sdk/s3-request-presigner',
    '@prisma/adapter-pg',
    '@prisma/client',
    '@solana/kit',
    '@solana/web3.js',
    '@vercel/blob',
    '@x402/core',
    '@x402/evm',
    '@x402/extensions',
    '@x402/svm',
    'confusables',
    'css-tree',
    'mppx',
    'parse5',
    'pg',
    'pino',
    'piscina',
    'puppeteer-core',
    'saxes',
    'secp256k1',
    'viem',
  ],
  async headers() {
    return [
      { source: '/v1/:path*', headers: Object.entries(apiHeaders).map(([key, value]) => ({ key, value })) },
      // Named by their content.
      {
        source: '/:page(f|deposit|operator|site)/assets/:file',
        headers: [{ key: 'Cache-Control', value: 'public, max-age=31536000, immutable' }],
      },
    ];
  },
};
