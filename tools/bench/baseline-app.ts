import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './programs';

/** The path and the route of each baseline. */
export const baselinePaths = {
  constant: '/v1/constant',
  indexedRead: '/v1/indexed-read',
  official: '/v1/official',
  officialChannel: '/v1/official-channel',
} as const;

const routes: Readonly<Record<keyof typeof baselinePaths, string>> = {
  constant: 'constant-route',
  indexedRead: 'indexed-read-route',
  official: 'official-route',
  officialChannel: 'official-channel-route',
};
const folder = path.join(repository, 'tools/bench/.build');
const stampFile = path.join(folder, 'stamp');

/** Our own configuration, with the headers of /v1, so that the framework does the same work for both: it compresses neither. */
const nextConfig = `import ours from '../../../next.config.mjs';

const root = ${JSON.stringify(repository)};
export default { ...ours, compress: false, outputFileTracingRoot: root, turbopack: { root } };
`;

/** Builds the small Next app with the baselines' routes unless it exists, and returns its folder. */
export async function buildBaselineApp(): Promise<string> {
  const stamp = hashSources();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return folder;
  rmSync(folder, { recursive: true, force: true });
  for (const [name, route] of Object.entries(routes)) {
    const place = path.join(folder, 'app', baselinePaths[name as keyof typeof routes]);
    mkdirSync(place, { recursive: true });
    const source = path.relative(place, path.join(repository, 'tools/bench', route));
    writeFileSync(
      path.join(place, 'route.ts'),
      `export { POST } from '${source}';\nexport const dynamic = 'force-dynamic';\n`,
    );
  }
  writeFileSync(path.join(folder, 'next.config.mjs'), nextConfig);
  // An instrumentation file of its own: otherwise the framework would find ours above it, and start the app that it is compared with.
  writeFileSync(path.join(folder, 'instrumentation.ts'), 'export function register(): void {}\n');
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await build();
  writeFileSync(stampFile, stamp);
  return folder;
}

function build(): Promise<void> {
  process.stderr.write('building the Next app of the baselines\n');
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [path.join(repository, 'node_modules/next/dist/bin/next'), 'build', folder],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...buildTimeSettings() },
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`next build failed:\n${output}`))));
  });
}

/** Next loads the routes during the build and needs these settings then. They are not used later. */
function buildTimeSettings(): Record<string, string> {
  const seenAnswer = path.join(folder, 'seen-answer.json');
  writeFileSync(seenAnswer, JSON.stringify({ status: 402, headers: {}, body: '' }));
  return {
    BENCH_SEEN_ANSWER: seenAnswer,
    BENCH_SIGNER_KEY: `0x${'11'.repeat(32)}`,
    BENCH_PAY_TO: `0x${'22'.repeat(20)}`,
    BENCH_RPC_URL: 'http://127.0.0.1:9',
    BENCH_ANSWER_LENGTH: '1',
    DATABASE_POOL: '2',
  };
}

function hashSources(): string {
  const hash = createHash('sha256').update(process.version).update(nextConfig);
  const files = [
    'next.config.mjs',
    'package-lock.json',
    'tools/bench/baseline-app.ts',
    'tools/bench/official-signer.ts',
  ];
  for (const file of [...files, ...Object.values(routes).map((route) => `tools/bench/${route}.ts`)]) {
    hash.update(readFileSync(path.join(repository, file)));
  }
  return hash.digest('hex');
}
