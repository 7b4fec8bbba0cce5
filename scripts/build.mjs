// Builds what `npm start` and `npm run worker` need: the database client, the pages and routes, the server and the worker. Also
// builds the local MCP adapter.
import { spawn } from 'node:child_process';
import { buildInPage } from './build-in-page.mjs';
import { buildMcp } from './build-mcp.mjs';
import { buildPage } from './build-page.mjs';
import { buildPrograms } from './build-programs.mjs';
import { simulator } from './build-simulator.mjs';
import { generateDatabaseClient } from './database-client.mjs';

/** Runs a program of a package; a failure ends the build. */
function run(bin, ...args) {
  const child = spawn(process.execPath, [`node_modules/${bin}`, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
    },
  });
  process.once('exit', () => child.kill());
  return new Promise((resolve) => {
    child.once('exit', (code) => (code === 0 ? resolve() : process.exit(code ?? 1)));
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
    buildPage('operator', {
      script: 'app/operator/_browser/main.ts',
      style: 'app/operator/_page/operator.css',
    }),
    buildPage('site', { script: 'app/_site/browser/main.ts', style: 'app/_site/site.css' }, simulator),
    // The routes take these files with them to hosts that run only routes.
    buildPrograms('dist', 'check-thread.ts'),
    buildInPage(),
    buildMcp(),
  ]);
  // Side by side, because Next keeps little more than one core busy.
  await Promise.all([
    run('next/dist/bin/next', 'build'),
    buildPrograms('dist', 'server.ts', 'worker.ts', 'tuppence.ts'),
  ]);
}
