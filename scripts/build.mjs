// Builds everything that `npm start` needs: the database client, the routes and pages, the server that carries them,
// the worker that does the jobs apart from it; and the local MCP adapter.
import { spawn } from 'node:child_process';
import { build } from 'esbuild';
import { buildMcp } from './build-mcp.mjs';
import { buildPage } from './build-page.mjs';

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
