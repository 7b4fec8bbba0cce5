// The demo supervisor: the stack, the server, the tour, until Ctrl-C. Started by bootstrap.mjs, which installs and builds.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isPortTaken } from './free-port';
import { findReasonToRefuse } from './real-settings.mjs';
import { type SupervisedServer, superviseServer } from './server-process';
import { type Stack, type StackPart, startStack } from './stack';
import { findStackOwner } from './stack-lock';
import { bold, dim, print, printStep, red } from './terminal';
import { runTour } from './tour';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = path.join(root, '.tuppence');
const localFile = path.join(dir, 'local.json');
const partWords: Record<StackPart, string> = {
  database: 'PostgreSQL',
  base: 'Base, a local chain with USDC',
  polygon: 'Polygon, likewise',
  arbitrum: 'Arbitrum, likewise',
  solana: 'Solana, likewise',
};

class Refusal extends Error {}

function readOptions() {
  const { values } = parseArgs({
    options: { fresh: { type: 'boolean' }, once: { type: 'boolean' }, 'no-tour': { type: 'boolean' } },
  });
  const port = Number(process.env.PORT || 3402);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Refusal('PORT is no port number.');
  if (values.once && values['no-tour'])
    throw new Refusal('--once ends after the tour, so it cannot go with --no-tour.');
  return {
    isFresh: values.fresh === true,
    isOnce: values.once === true,
    hasTour: values['no-tour'] !== true,
    port,
  };
}

async function refuseIfBusy(port: number): Promise<void> {
  const reason = findReasonToRefuse(root, process.env);
  if (reason) throw new Refusal(`The demo does not run here: ${reason}`);
  const owner = findStackOwner(dir);
  if (owner !== undefined)
    throw new Refusal(`A demo already runs here${findRunningUrl()} (process ${owner}).`);
  if (await isPortTaken(port)) {
    throw new Refusal(
      `Port ${port} is taken by another program. Choose another: PORT=${port + 1} npm run demo`,
    );
  }
}

function findRunningUrl(): string {
  try {
    return `, on ${(JSON.parse(readFileSync(localFile, 'utf8')) as { apiUrl: string }).apiUrl}`;
  } catch {
    return '';
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Running = { stack?: Stack; server?: SupervisedServer; isDone?: boolean };

async function serve(port: number, stack: Stack): Promise<{ apiUrl: string; server: SupervisedServer }> {
  const apiUrl = `http://localhost:${port}`;
  const filesUrl = `http://127.0.0.1:${port}`;
  const writeLocalFile = (serverPid: number) => {
    const { operatorToken, databaseUrl, networks, payers } = stack;
    const local = { apiUrl, filesUrl, operatorToken, databaseUrl, serverPid, networks, payers };
    writeFileSync(`${localFile}.next`, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${localFile}.next`, localFile);
  };
  let startedMs = performance.now();
  let healthy = 0;
  const server = await superviseServer({
    root,
    dir,
    env: {
      ...process.env,
      ...stack.serverEnv,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: apiUrl,
      FILES_URL: filesUrl,
    },
    healthUrl: `${apiUrl}/health`,
    onHealthy(pid) {
      writeLocalFile(pid);
      healthy += 1;
      printStep(`The server${healthy > 1 ? ', again' : ''} (process ${pid})`, performance.now() - startedMs);
    },
    onDeath(words) {
      print(`  ${red('!')} ${words}`);
      startedMs = performance.now();
    },
  });
  return { apiUrl, server };
}

function printLinks(links: readonly { words: string; url: string }[], apiUrl: string): void {
  print(`\n${bold('Open')}`);
  const fixed = [
    { words: 'The API', url: apiUrl },
    { words: 'What it costs', url: `${apiUrl}/v1/tools/prices` },
  ];
  for (const { words, url } of [...fixed, ...links]) print(`  ${words.padEnd(36)} ${url}`);
  print(`  ${'Addresses, funded keys, token'.padEnd(36)} ${path.relative(process.cwd(), localFile)}`);
  print(`  ${"The server's log".padEnd(36)} ${path.relative(process.cwd(), path.join(dir, 'server.log'))}`);
  print(dim('\nThe money is not real. Ctrl-C ends everything; what was stored stays for the next time.'));
}

async function run(running: Running, ended: Promise<void>): Promise<void> {
  const { isFresh, isOnce, hasTour, port } = readOptions();
  await refuseIfBusy(port);
  print(`${bold('Tuppence')}, with local chains and play money`);
  mkdirSync(dir, { recursive: true });
  const onProgress = (part: StackPart, elapsedMs: number) => printStep(partWords[part], elapsedMs);
  running.stack = await startStack({ dir, fresh: isFresh, onProgress });
  const { apiUrl, server } = await serve(port, running.stack);
  running.server = server;
  const { networks, tourist } = running.stack;
  const tour = hasTour ? runTour({ apiUrl, networks, wallets: tourist }) : Promise.resolve([]);
  const links = await tour.catch((error: unknown) => {
    if (isOnce) throw error;
    // What runs stays up, to be looked into.
    print(`\n${red('✗')} The tour failed. ${reasonOf(error)}`);
    return [];
  });
  running.isDone = true;
  if (isOnce)
    return print(`\n${bold('Everything held.')} Without --once it stays up, for you to look around.`);
  printLinks(links, apiUrl);
  await ended;
}

const running: Running = {};
let isEnding = false;
const ended = new Promise<void>((resolve) => {
  const end = () => {
    // The second time somebody means it; the guard ends the children.
    if (isEnding) process.exit(130);
    isEnding = true;
    print(dim('\nEnding …'));
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  process.on('disconnect', end);
});
// Nothing else keeps the process alive while it only waits.
const keepAlive = setInterval(() => undefined, 60_000);

const failure = await Promise.race([run(running, ended), ended]).then(
  () => undefined,
  (error: unknown) => error,
);
if (failure !== undefined) print(`\n${red('✗')} ${reasonOf(failure)}`);
await running.server?.stop();
await running.stack?.stop();
clearInterval(keepAlive);
if (failure !== undefined) process.exit(failure instanceof Refusal ? 2 : 1);
process.exit(running.isDone ? 0 : 130);
