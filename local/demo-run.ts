import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type DemoOptions, dir, localFile, root } from './demo-options';
import { type SupervisedServer, superviseServer } from './server-process';
import { type Stack, type StackPart, startStack } from './stack';
import { bold, dim, print, printFailure, printStep } from './terminal';
import { runTour } from './tour';

/** What has been started so far, for whoever has to end it. */
export type Running = { stack?: Stack; server?: SupervisedServer; isDone?: boolean };

const partWords: Record<StackPart, string> = {
  database: 'PostgreSQL',
  base: 'Base, a local chain with USDC',
  polygon: 'Polygon, likewise',
  arbitrum: 'Arbitrum, likewise',
  solana: 'Solana, likewise',
  providers: 'Search, reading and flights, from a sandbox',
};

/** Starts everything, takes the tour, and stays until `ended`; with --once it returns after the tour, or throws. */
export async function runDemo(options: DemoOptions, running: Running, ended: Promise<void>): Promise<void> {
  const { isFresh, isOnce, hasTour, port } = options;
  mkdirSync(dir, { recursive: true });
  const onProgress = (part: StackPart, elapsedMs: number) => printStep(partWords[part], elapsedMs);
  running.stack = await startStack({ dir, fresh: isFresh, onProgress });
  const { networks, tourist } = running.stack;
  const apiUrl = `http://localhost:${port}`;
  running.server = await serve(port, apiUrl, running.stack);
  const tour = hasTour ? runTour({ apiUrl, networks, wallets: tourist }) : Promise.resolve([]);
  const links = await tour.catch((error: unknown) => {
    if (isOnce) throw error;
    // What runs stays up, to be looked into.
    printFailure(error);
    return [];
  });
  running.isDone = true;
  if (isOnce)
    return print(`\n${bold('Everything held.')} Without --once it stays up, for you to look around.`);
  printLinks(links, apiUrl);
  await ended;
}

function serve(port: number, apiUrl: string, stack: Stack): Promise<SupervisedServer> {
  // Files come from strangers, so they have an origin of their own: to a browser this is another host.
  const filesUrl = `http://127.0.0.1:${port}`;
  let startedMs = performance.now();
  let healthy = 0;
  return superviseServer({
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
      writeLocalFile({ apiUrl, filesUrl, serverPid: pid }, stack);
      healthy += 1;
      printStep(`The server${healthy > 1 ? ', again' : ''} (process ${pid})`, performance.now() - startedMs);
    },
    onDeath(words) {
      print(`  ! ${words}`);
      startedMs = performance.now();
    },
  });
}

function writeLocalFile(server: { apiUrl: string; filesUrl: string; serverPid: number }, stack: Stack): void {
  const { operatorToken, databaseUrl, networks, payers } = stack;
  const local = { ...server, operatorToken, databaseUrl, networks, payers };
  writeFileSync(`${localFile}.next`, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${localFile}.next`, localFile);
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
