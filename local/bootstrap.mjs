// Runs `npm run demo` and `npm test` from a bare clone. Until packages are installed it can use nothing but Node, so it is
// plain JavaScript without dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSources, isBuilt, isGenerated, stampBuild, stampGenerated } from './build-stamp.mjs';
import { findReasonToRefuse } from './real-settings.mjs';
import { findTestNeeds } from './test-needs.mjs';
import { bundleTestPackages } from './test-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const playwright = [process.execPath, 'node_modules/@playwright/test/cli.js', 'test'];
// So that less garbage is copied: with the default of 16 MiB, that takes a tenth of the CPU time of the tests.
const testEnv = { NODE_OPTIONS: '--max-semi-space-size=64' };

const lowPriority = constants.priority.PRIORITY_BELOW_NORMAL;

/** What runs after the installation, the build and the checks. */
const commands = {
  // Starts its database and chains while the build runs. `built`, a message, tells it when there is a server to start.
  demo: { command: [process.execPath, '--import', 'tsx', 'local/demo.ts'], waitsForBuild: true },
  test: { command: playwright, isChecked: true, isTest: true, tier: 'default', env: testEnv },
  // What `npm test` leaves out (tests/support/tiers.ts).
  'test-full': { command: playwright, isTest: true, tier: 'full', env: testEnv },
  // All cases of these tests, including those that `npm test` only samples (tests/support/sweep.ts).
  'test-sweep': {
    command: playwright,
    isTest: true,
    paths: ['tests/recovery', 'tests/render', 'tests/fuzz'],
    env: testEnv,
  },
  'test-next': {
    command: playwright,
    isTest: true,
    // The default; the command line may name others.
    paths: ['tests/api', 'tests/recovery', 'tests/pages'],
    env: { ...testEnv, STARTED_BY: 'next' },
  },
  'font-coverage': {
    command: [process.execPath, '--import', 'tsx', 'tests/render/write-font-coverage.ts'],
    needs: ['full-tier packages'],
  },
  bench: {
    command: [process.execPath, '--import', 'tsx', 'tools/bench/main.ts'],
    needs: ['build', 'full-tier packages'],
  },
  'reader-bench': {
    command: [process.execPath, '--import', 'tsx', 'tools/reader-bench/main.ts'],
    needs: ['in-page scripts', 'full-tier packages'],
  },
  pages: { command: [process.execPath, '--import', 'tsx', 'tools/page-report/main.ts'] },
  'planted-bugs': { command: [process.execPath, '--import', 'tsx', 'tools/planted-bugs/main.ts'] },
  soak: { command: [process.execPath, '--import', 'tsx', 'tools/soak/main.ts'] },
};

const children = new Set();
let isEnding = false;

function endChildren() {
  for (const child of children) child.kill('SIGTERM');
}

// Ctrl-C reaches the children too, through the terminal. A signal sent only to this process is passed on to them.
process.on('SIGINT', () => {
  isEnding = true;
});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isEnding = true;
    endChildren();
  });
}
// npm may be killed without a chance to pass on a signal.
const npmPid = findNpm();
if (npmPid) {
  setInterval(() => {
    try {
      process.kill(npmPid, 0);
    } catch {
      endChildren();
    }
  }, 1000).unref();
}

/** The npm that started us: our parent, or the parent of the shell in between. */
function findNpm() {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return undefined;
  try {
    for (let pid = process.ppid, steps = 0; pid > 1 && steps < 2; steps += 1) {
      const line = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)])
        .toString()
        .trim();
      const [, parent, args] = line.match(/^(\d+)\s+(.*)$/s) ?? [];
      if (/^(\S*node\S*\s+)?\S*npm/.test(args ?? '')) return pid;
      pid = Number(parent);
    }
  } catch {
    // Without ps, npm cannot be found.
  }
  return undefined;
}

/** Runs a command in this terminal unless `stdio` says otherwise. Returns its exit code. */
function run([command, ...args], { stdio = 'inherit', env = {}, cwd = root, onOutput, onStart } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio,
      shell: process.platform === 'win32' && command === 'npm',
    });
    children.add(child);
    onStart?.(child);
    for (const stream of onOutput ? [child.stdout, child.stderr] : []) stream.on('data', onOutput);
    child.on('error', (error) => {
      console.error(String(error));
      resolve(1);
    });
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

/** The phases so far and their durations, for the table at the end of the tests. */
const phases = [];

async function timed(name, work) {
  console.log(`${name} …`);
  const startedMs = performance.now();
  const code = await work();
  const ms = performance.now() - startedMs;
  phases.push({ name, ms });
  const seconds = (ms / 1000).toFixed(1);
  console.log(code === 0 ? `✓ ${name} (${seconds} s)` : `✗ ${name} failed (${seconds} s)`);
  return code;
}

/** Runs a command in the background. Its output is kept, and printed if it fails. */
async function runAside(name, command, { cwd = root, onStart } = {}) {
  let output = '';
  const code = await timed(name, () =>
    run(command, {
      cwd,
      onStart,
      stdio: ['ignore', 'pipe', 'pipe'],
      onOutput(chunk) {
        output += chunk;
      },
    }),
  );
  return { name, code, output };
}

/** What waits for the build, if anything does: the demo or the tests. */
let waiting;

/** Exits if a command failed. What waits for the build ends what it has started before that: it sees the channel close. */
async function demand(...results) {
  const failed = results.filter(({ code }) => code !== 0);
  if (failed.length === 0 && !isEnding) return;
  for (const { name, output = '' } of failed) if (output) console.error(`\n${name}:\n${output}`);
  if (waiting) {
    waiting.isLeft = true;
    if (waiting.program.connected) waiting.program.disconnect();
    await waiting.ended;
  }
  process.exit(failed[0]?.code || 130);
}

function npm(...args) {
  const npmScript = process.env.npm_execpath;
  return npmScript?.endsWith('.js') ? [process.execPath, npmScript, ...args] : ['npm', ...args];
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whether a folder's node_modules matches its package-lock.json, according to npm's own record of what it installed. */
function isInstalled(folder) {
  const wanted = readJson(path.join(folder, 'package-lock.json'))?.packages ?? {};
  const installed = readJson(path.join(folder, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([place, { version, optional, devOptional, peer }]) => {
    if (place === '') return true;
    const found = installed[place];
    // Packages for other platforms are optional.
    return found ? found.version === version : Boolean(optional || devOptional || peer);
  });
}

const install = npm('ci', '--include=dev', '--no-audit', '--no-fund');

/** Installs what only the full tier needs (tests/package.json). */
async function installFullTier() {
  const folder = path.join(root, 'tests');
  if (!isInstalled(folder))
    await demand(await runAside('Packages of the full tier, once', install, { cwd: folder }));
}

/** Generates the database client unless it is up to date. */
async function generate() {
  if (isGenerated(root)) return;
  await demand(await runAside('Database client', npm('run', '--silent', 'generate')));
  stampGenerated(root);
}

/** Builds what is out of date, if the chosen tests or programs need a build. */
async function build() {
  const sourcesHash = hashSources(root);
  await generate();
  if (!needs.has('build') || isBuilt(root, sourcesHash)) return;
  const result = await runAside('Build', npm('run', '--silent', 'build', '--', '--without-client'));
  if (result.code === 0) stampBuild(root, sourcesHash);
  await demand(result);
}

/**
 * Checks the sources beside the first tests, because it needs what the build generates. A failure is shown at once, and makes
 * the whole run fail.
 * @returns the exit code
 */
async function check() {
  if (!chosen.isChecked || !isWhole) return 0;
  const { name, code, output } = await runAside(
    'Check: format, lint, types, dead code',
    npm('run', '--silent', 'check'),
    // The tests have limits of time.
    { onStart: ({ pid }) => pid !== undefined && setPriority(pid, lowPriority) },
  );
  if (code !== 0 && !isEnding) console.error(`\n${name}:\n${output}`);
  return code;
}

/** Makes the scripts that the reader runs inside a page, which its tests and its bench need without a build. */
async function buildInPage() {
  await demand({ code: await run([process.execPath, 'scripts/build-in-page.mjs']) });
}

const [name, ...args] = process.argv.slice(2);
const chosen = commands[name];
if (!chosen) {
  console.error(`Usage: node local/bootstrap.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
  process.exit(2);
}
const refusal = name === 'demo' ? findReasonToRefuse(root, process.env) : undefined;
if (refusal) {
  console.error(`The demo does not run here: ${refusal}`);
  process.exit(2);
}

if (!isInstalled(root)) {
  await demand({ code: await timed('Packages, once', () => run(install)) });
}
// Before building, because a build would remove the files of a running demo.
if (name === 'demo') {
  const code = await run([...chosen.command, ...args, '--only-check']);
  if (code !== 0) process.exit(code);
}
const paths = args.some((arg) => arg.startsWith('tests/')) ? [] : (chosen.paths ?? []);
// A partial run of the tests (`npm test -- tests/api`) skips the check, and runs the tests of both tiers.
const isWhole = args.length === 0;
const needs = chosen.isTest ? findTestNeeds(root, [...paths, ...args]) : new Set(chosen.needs ?? ['build']);
// Files of the default tier may also have tests of the full tier.
if (isWhole && chosen.tier === 'default') needs.delete('full-tier packages');
/** What the demo and the tests need before they are even loaded. */
const prepare = () =>
  Promise.all([
    generate(),
    chosen.isTest && bundleTestPackages(),
    (chosen.isTest || needs.has('in-page scripts')) && buildInPage(),
    needs.has('full-tier packages') && installFullTier(),
  ]);
const command = [...chosen.command, ...paths, ...args];
await prepare();
if (!chosen.isTest && !chosen.waitsForBuild) {
  await build();
  process.exit(await run(command, { env: chosen.env }));
}
let sendBuilt;
const built = new Promise((resolve) => {
  sendBuilt = resolve;
});
const ended = run(command, {
  env: {
    ...chosen.env,
    ...(isWhole && chosen.tier ? { TEST_TIER: chosen.tier } : {}),
  },
  // The channel closes when this process ends, even if it is killed, so the program notices.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  onStart: (program) => {
    waiting = { program };
    // It asks, because a message that came while it loads would find nobody.
    program.on('message', async () => {
      const phasesSoFar = await built;
      if (program.connected) program.send(phasesSoFar);
    });
  },
});
waiting.ended = ended;
let checked = Promise.resolve(0);
// It ends before the build only if it cannot start, only lists tests, or is stopped.
void ended.then(async (code) => {
  if (waiting.isLeft) return;
  if (code !== 0) endChildren();
  process.exit(code || (await checked));
});
await build();
checked = check();
sendBuilt(phases);
