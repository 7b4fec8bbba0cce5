// Builds what `npm start` and `npm run worker` need: the database client, the pages and routes, the server and the worker. Also
// builds the local MCP adapter.
import { spawn } from 'node:child_process';
import { build } from 'esbuild';
import { buildMcp } from './build-mcp.mjs';
import { buildPage } from './build-page.mjs';
import { writeRouteTable } from './route-table.mjs';

/** Runs a program of a package; a failure ends the build. */
function run(bin, ...args) {
  const child = spawn(process.execPath, [`node_modules/${bin}`, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      // `prisma generate` downloads an engine that it does not use; any executable in its place satisfies it.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      NEXT_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
    },
  });
  process.once('exit', () => child.kill());
  return new Promise((resolve) => {
    child.once('exit', (code) => (code === 0 ? resolve() : process.exit(code ?? 1)));
  });
}

const generateDatabaseClient = () => run('prisma/build/index.js', 'generate');

/** Packages with hundreds of files, which would take half of a server's start to find and read. */
const largePackages = /^(viem|zod|mppx|@x402|@solana)(\/|$)/;

/** Bundles those and their dependencies. Every other package is loaded from node_modules. */
const bundleLargePackages = {
  name: 'bundle-large-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isOurs = !importer.includes('/node_modules/') && !path.startsWith('@/');
      return kind !== 'entry-point' && isOurs && !largePackages.test(path)
        ? { path, external: true }
        : undefined;
    });
  },
};

/** Bundles programs that run on Node. */
async function buildPrograms(...entryPoints) {
  await build({
    entryPoints,
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    splitting: true,
    plugins: [bundleLargePackages],
    // Bundled CommonJS packages load modules of Node with `require`.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    sourcemap: true,
    logLevel: 'warning',
  });
}

writeRouteTable();
if (process.argv.includes('--generate-only')) {
  await generateDatabaseClient();
} else {
  // Next reads what these write.
  await Promise.all([
    process.argv.includes('--without-client') || generateDatabaseClient(),
    buildPage('f', { script: 'app/f/_browser/loader.ts', style: 'app/f/_page/form.css' }),
    buildPage('deposit', {
      script: 'app/deposit/_browser/main.ts',
      style: 'app/deposit/_page/deposit.css',
    }),
    buildPage('site', { script: 'app/_site/browser/copy.ts', style: 'app/_site/site.css' }),
    // The routes take this file with them to hosts that run only routes.
    buildPrograms('check-thread.ts'),
  ]);
  // Side by side, because Next keeps little more than one core busy.
  await Promise.all([
    run('next/dist/bin/next', 'build'),
    buildPrograms('server.ts', 'worker.ts'),
    buildMcp(),
  ]);
}
