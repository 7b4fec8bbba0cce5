// Builds everything that `npm start` needs: the database client, the routes and pages, the server that carries them,
// the worker that does the jobs apart from it; and the local MCP adapter.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { buildMcp } from './build-mcp.mjs';
import { buildPage } from './build-page.mjs';

function run(bin, ...args) {
  const { status } = spawnSync(process.execPath, [`node_modules/${bin}`, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      // `generate` does not use the engine that it wants to download; any executable in its place satisfies it.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      NEXT_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
    },
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Packages of hundreds of files each, which a server would spend half of its start on finding and reading. */
const manyFiles = /^(viem|zod|mppx|@x402|@solana)(\/|$)/;

/** Bundles those, with what they need themselves; every other package stays where it is installed. */
const bundleOfManyFiles = {
  name: 'bundle-of-many-files',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isOurs = !importer.includes('/node_modules/') && !path.startsWith('@/');
      return kind !== 'entry-point' && isOurs && !manyFiles.test(path) ? { path, external: true } : undefined;
    });
  },
};

/** Bundles programs that Node runs by themselves. */
async function buildPrograms(...entryPoints) {
  await build({
    entryPoints,
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    plugins: [bundleOfManyFiles],
    // CommonJS among what is bundled asks for modules of Node.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    sourcemap: true,
    logLevel: 'warning',
  });
}

if (!process.argv.includes('--without-client')) run('prisma/build/index.js', 'generate');
if (!process.argv.includes('--generate-only')) {
  await buildPage('f', { script: 'app/f/_browser/loader.ts', style: 'app/f/_page/form.css' });
  await buildPage('deposit', {
    script: 'app/deposit/_browser/main.ts',
    style: 'app/deposit/_page/deposit.css',
  });
  await buildPage('site', { script: 'app/_site/browser/copy.ts', style: 'app/_site/site.css' });
  await buildMcp();
  // The routes take the threads' file with them to hosts that run nothing but them, so it is there before they are built.
  await buildPrograms('check-thread.ts');
  run('next/dist/bin/next', 'build');
  await buildPrograms('server.ts', 'worker.ts');
}
