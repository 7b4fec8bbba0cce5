import { execFile } from 'node:child_process';
import { copyFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** What stays in node_modules: native code, the framework, threads' own files, and what only some installations load. */
const external = ['next', 'secp256k1', 'piscina', '@aws-sdk/*', '@vercel/blob', '@opentelemetry/*'];

/** Prisma's query compiler is megabytes of text, needed once: it stays in node_modules, as the form that `require` takes. */
const leaveOutQueryCompiler = {
  name: 'leave-out-query-compiler',
  setup({ onResolve }) {
    onResolve({ filter: /wasm-base64\.mjs$/ }, ({ path: file }) => ({
      path: file.replace(/mjs$/, 'js'),
      external: true,
    }));
  },
};

/** Solana's package has it for versions of Node without `fetch`. It loads a module of Node that newer versions warn of. */
const leaveOutNodeFetch = {
  name: 'leave-out-node-fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node-fetch$/ }, ({ path: file }) => ({ path: file, namespace: 'left-out' }));
    onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: '' }));
  },
};

/**
 * Bundles programs that run on Node, each with the packages that it uses: a start would otherwise spend most of its time
 * finding and reading thousands of files. tools/bench/README.md has the figures.
 * @param {string} outdir
 * @param {string[]} entryPoints
 */
export async function buildPrograms(outdir, ...entryPoints) {
  const names = entryPoints.map((file) => path.basename(file, '.ts'));
  const fileOf = (name) => path.join(outdir, `${name}.js`);
  const cacheOf = (name) => path.join(outdir, `${name}.bundle.js.cache`);
  // V8 recognizes a cache that belongs to another source by nothing but the length of the source.
  await Promise.all(names.map((name) => rm(cacheOf(name), { force: true })));
  await build({
    entryPoints,
    outdir,
    entryNames: '[name].bundle',
    bundle: true,
    platform: 'node',
    target: 'node20',
    // The only format whose compiled code V8 keeps.
    format: 'cjs',
    minifyWhitespace: true,
    // Code from a cache cannot use import().
    supported: { 'dynamic-import': false },
    external,
    // The package's main file has thirty other hash functions too.
    alias: { 'hash-wasm': 'hash-wasm/dist/keccak.umd.min.js' },
    plugins: [leaveOutQueryCompiler, leaveOutNodeFetch],
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    sourcemap: true,
    logLevel: 'warning',
  });
  await writeFile(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  await Promise.all(names.map((name) => copyFile('scripts/program.cjs', fileOf(name))));
  await Promise.all(
    names.map(async (name) => {
      await runOnce(fileOf(name));
      await stat(cacheOf(name));
    }),
  );
}

/** Enough to build an app, and a database that nobody finds. */
const warmUpSettings = {
  DATABASE_URL: 'postgresql://127.0.0.1:1/none',
  PUBLIC_URL: 'http://localhost:1',
  FILES_URL: 'http://127.0.0.1:1',
  TIMINGS: '{}',
  DATA_KEY: Buffer.alloc(32).toString('base64'),
  PAY_TO_EVM: `0x${'1'.repeat(40)}`,
  BASE_RPC_URL: 'http://127.0.0.1:1',
  SETTLEMENT_KEYS_EVM: `0x${'1'.repeat(64)}`,
};

/** Runs a program until it finds no database, so that V8 compiles what a start needs. */
async function runOnce(file) {
  const env = { ...warmUpSettings, WRITE_CODE_CACHE: '1', NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [file], { env }).catch(() => undefined);
}
