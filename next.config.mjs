import { existsSync, readFileSync } from 'node:fs';

/**
 * Payment headers, open to every origin: agents also live in browsers (docs/paying-with-x402.md). The official x402 client sends
 * Access-Control-Expose-Headers as a request header, so preflights ask for it. The front door sends the same.
 */
const apiHeaders = JSON.parse(readFileSync(new URL('./lib/http/api-headers.json', import.meta.url), 'utf8'));

/**
 * What routes need that start a browser, on hosts that run functions: the code looks it up when it runs, so the build does
 * not find it. Of fonts with many weights, those in which documents are usually set: a function may have 250 MB.
 */
const browserFiles = [
  '@sparticuz/chromium/package.json',
  '@sparticuz/chromium/build/cjs/**',
  '@sparticuz/chromium/bin/{chromium,al2023.tar}.br',
  '@embedpdf/fonts-*/package.json',
  '@embedpdf/fonts-*/dist/*.{js,cjs}',
  '@embedpdf/fonts-*/fonts/*-{Regular,Bold,Italic,BoldItalic}.{ttf,otf}',
  '@expo-google-fonts/*/{package.json,index.js}',
  '@expo-google-fonts/*/{400,700}*/*.ttf',
  '@fontsource/*/{package.json,index.css}',
  '@fontsource/*/files/*-{400,700}-normal.woff',
].map((files) => `./node_modules/${files}`);

/** Reading pages also needs the script that runs inside them. */
const readerFiles = [...browserFiles, './dist/in-page/*.js'];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  // Our listener, which is there before the framework loads, compresses pages itself (lib/app/current.ts).
  compress: !(Symbol.for('tuppence.app') in globalThis),
  // No page resizes images. Without this, anyone could have the server do so at /_next/image.
  images: { unoptimized: true },
  outputFileTracingIncludes: {
    '/deposit/**': ['./public/deposit/assets/manifest.json'],
    '/f/**': ['./public/f/assets/manifest.json'],
    '/v1/**/render/pdf': browserFiles,
    '/v1/**/crawl/scrape': readerFiles,
    '/v1/**/neural/contents': readerFiles,
    '/internal/cron': readerFiles,
    '/operator/**': ['./public/operator/assets/manifest.json'],
    // Every route runs the app, which brings its database up to date when it starts.
    '/**': [
      './public/site/assets/manifest.json',
      './docs/**/*.{md,svg}',
      './lib/discovery/typed-clients/tuppence.{mts,py}',
      './prisma/migrations/**',
      './dist/adapter/**',
      // A program and what it runs from, see scripts/program.cjs.
      './dist/package.json',
      './dist/check-thread.{js,bundle.js,bundle.js.cache}',
    ],
  },
  // To write the cache takes a quarter of a build, and only later builds of the same folder read it: not so in a fresh clone.
  experimental: { turbopackFileSystemCacheForBuild: existsSync('.next/BUILD_ID') },
  // `npm run check` type-checks the whole repository; once is enough.
  typescript: { ignoreBuildErrors: true },
  // Loaded as they are: native code, WebAssembly, and packages that must exist once per process.
  serverExternalPackages: [
    '@aws-sdk/client-s3',
    '@aws-sdk/s3-request-presigner',
    '@opentelemetry/api',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
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
      ...['/v1/:path*', '/mcp'].map((source) => ({
        source,
        headers: Object.entries(apiHeaders).map(([key, value]) => ({ key, value })),
      })),
      // Named by their content.
      {
        source: '/:page(f|deposit|operator|site)/assets/:file',
        headers: [{ key: 'Cache-Control', value: 'public, max-age=31536000, immutable' }],
      },
    ];
  },
};
