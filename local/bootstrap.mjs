// Runs `npm run demo` and `npm test` from a bare clone. Until packages are installed it can use nothing but Node, so it
// is plain JavaScript without a dependency.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSources, isBuilt, stampBuild } from './build-stamp.mjs';
import { findReasonToRefuse } from './real-settings.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What follows installing and building. With arguments (`npm test -- tests/api`) only the steps that take arguments run.
 */
const commands = {
  demo: [
    {
      command: [process.execPath, '--import', 'tsx', 'local/demo.ts'],
      takesArguments: true,
      endsWithUs: true,
    },
  ],
  test: [
    { name: 'Format, lint, types, dead code', command: npm('run', '--silent', 'check') },
    {
      name: 'Tests',
      command: [process.execPath, 'node_modules/@playwright/test/cli.js', 'test'],
      takesArguments: true,
    },
  ],
  bench: [{ command: [process.execPath, '--import', 'tsx', 'tests/bench/main.ts'], takesArguments: true }],
};

let child;
let isEnding = false;

// Ctrl-C reaches the child by itself, as part of our terminal; a signal sent to us alone is handed on.
process.on('SIGINT', () => {
  isEnding = true;
});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isEnding = true;
    child?.kill('SIGTERM');
  });
}
// npm may be killed in a way that leaves it no time to tell us.
const npmPid = findNpm();
if (npmPid) {
  setInterval(() => {
    try {
      process.kill(npmPid, 0);
    } catch {
      child?.kill('SIGTERM');
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
    // Without ps there is nobody to watch.
  }
  return undefined;
}

/** Runs a command with our terminal; answers its exit code. */
function run([command, ...args], endsWithUs = false) {
  return new Promise((resolve) => {
    child = spawn(command, args, {
      cwd: root,
      // The channel tells the demo that we are gone, even if we were killed.
      stdio: ['inherit', 'inherit', 'inherit', ...(endsWithUs ? ['ipc'] : [])],
      shell: process.platform === 'win32' && command === 'npm',
    });
    child.on('error', (error) => {
      console.error(String(error));
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}

async function step(name, command) {
  console.log(`\n${name} …`);
  const startedMs = Date.now();
  const code = await run(command);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  console.log(code === 0 ? `✓ ${name} (${seconds} s)` : `✗ ${name} failed (${seconds} s)`);
  if (code !== 0 || isEnding) process.exit(code || 130);
}

function npm(...args) {
  const npmScript = process.env.npm_execpath;
  return npmScript?.endsWith('.js') ? [process.execPath, npmScript, ...args] : ['npm', ...args];
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Whether node_modules holds what package-lock.json names; npm notes down what it installed. */
function isInstalled() {
  const wanted = readJson(path.join(root, 'package-lock.json'))?.packages ?? {};
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([place, { version, optional, devOptional, peer }]) => {
    if (place === '') return true;
    const found = installed[place];
    // Optional packages are those of other platforms.
    return found ? found.version === version : Boolean(optional || devOptional || peer);
  });
}

const [name, ...args] = process.argv.slice(2);
const steps = commands[name];
if (!steps) {
  console.error(`Usage: node local/bootstrap.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
  process.exit(2);
}
const refusal = name === 'demo' ? findReasonToRefuse(root, process.env) : undefined;
if (refusal) {
  console.error(`The demo does not run here: ${refusal}`);
  process.exit(2);
}

if (!isInstalled()) {
  await step('Installing packages, once', npm('ci', '--include=dev', '--no-audit', '--no-fund'));
}
// Before building: that would pull the files away from under a demo that runs already.
if (name === 'demo') {
  const code = await run([...steps[0].command, ...args, '--only-check']);
  if (code !== 0) process.exit(code);
}
const sourcesHash = hashSources(root);
if (!isBuilt(root, sourcesHash)) {
  await step('Building', npm('run', '--silent', 'build'));
  stampBuild(root, sourcesHash);
}
const isNarrowed = args.length > 0 && steps.some(({ takesArguments }) => takesArguments);
for (const { name: stepName, command, takesArguments, endsWithUs } of steps) {
  if (isNarrowed && !takesArguments) continue;
  const line = takesArguments ? [...command, ...args] : command;
  if (stepName) await step(stepName, line);
  else process.exit(await run(line, endsWithUs));
}
