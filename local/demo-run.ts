import { mkdirSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type DemoOptions, dir, localFile, root } from './demo-options';
import { type SupervisedServer, superviseServer } from './server-process';
import { type Stack, type StackPart, startStack } from './stack';
import { bold, dim, print, printFailure, printStep } from './terminal';

/** What has been started so far, for the caller to stop. */
export type Running = { stack?: Stack; server?: SupervisedServer; isDone?: boolean };

const partLabels: Record<StackPart, string> = {
  database: 'PostgreSQL',
  base: 'Base, a local chain with USDC',
  polygon: 'Polygon, a local chain with USDC',
  arbitrum: 'Arbitrum, a local chain with USDC',
  solana: 'Solana, a local chain with USDC',
  providers: 'Sandbox providers for search, reading and flights',
};

/**
 * Starts everything, the server once it is `built`, runs the tour, and keeps running until `stopped`. With --once it returns after
 * the tour, or throws if that fails.
 */
export async function runDemo(
  options: DemoOptions,
  running: Running,
  { built, stopped }: { readonly built: Promise<void>; readonly stopped: Promise<void> },
): Promise<void> {
  const { isFresh, isOnce, hasTour, port } = options;
  mkdirSync(dir, { recursive: true });
  const onProgress = (part: StackPart, elapsedMs: number) => printStep(partLabels[part], elapsedMs);
  // The official clients take a second to load; they load while the processes of the stack start.
  const [stack] = await Promise.all([startStack({ dir, fresh: isFresh, onProgress }), import('./tour')]);
  running.stack = stack;
  await built;
  const apiUrl = `http://localhost:${port}`;
  running.server = await startServer(port, apiUrl, stack);
  const links = hasTour ? await tour(stack, apiUrl, isOnce) : [];
  running.isDone = true;
  if (isOnce) {
    print(`\n${bold('All checks passed.')} Without --once the server stays up.`);
    return;
  }
  printLinks(links, apiUrl);
  await stopped;
}

async function tour({ networks, tourWallets }: Stack, apiUrl: string, isOnce: boolean) {
  try {
    const { runTour } = await import('./tour');
    return await runTour({ apiUrl, networks, wallets: tourWallets });
  } catch (error) {
    if (isOnce) throw error;
    // The server stays up, so that the failure can be examined.
    printFailure(error);
    return [];
  }
}

/** What a service's pages say about its operator. `example.com` is reserved for examples (RFC 2606). */
const exampleOperator = {
  OPERATOR_NAME: 'Example Operator Ltd.',
  OPERATOR_EMAIL: 'help@example.com',
  OPERATOR_ABUSE_EMAIL: 'abuse@example.com',
  OPERATOR_ADDRESS: '1 Example Street, 12345 Example City',
  OPERATOR_LAW: 'Exampleland',
  OPERATOR_TERMS_DATE: '2026-11-23',
};

function startServer(port: number, apiUrl: string, stack: Stack): Promise<SupervisedServer> {
  // Uploaded files are untrusted, so they get their own origin: to a browser, this is a different host.
  const filesUrl = `http://127.0.0.1:${port}`;
  let startedMs = performance.now();
  let starts = 0;
  return superviseServer({
    root,
    dir,
    env: {
      ...process.env,
      ...stack.serverEnv,
      ...exampleOperator,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: apiUrl,
      FILES_URL: filesUrl,
    },
    healthUrl: `${apiUrl}/health`,
    onHealthy(pid) {
      writeLocalFile({ apiUrl, filesUrl, serverPid: pid }, stack);
      starts += 1;
      printStep(`Server${starts > 1 ? ', restarted' : ''} (process ${pid})`, performance.now() - startedMs);
    },
    onExit(message) {
      print(`  ! ${message}`);
      startedMs = performance.now();
    },
  });
}

function writeLocalFile(server: { apiUrl: string; filesUrl: string; serverPid: number }, stack: Stack): void {
  const { operatorToken, databaseUrl, networks, payers } = stack;
  const local = { ...server, operatorToken, databaseUrl, networks, payers };
  writeFileAtomic.sync(localFile, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
}

function printLinks(links: readonly { label: string; url: string }[], apiUrl: string): void {
  const fixed = [
    { label: 'API', url: apiUrl },
    { label: 'Prices', url: `${apiUrl}/v1/tools/prices` },
  ];
  const files = [
    { label: 'URLs, funded keys, operator token', url: path.relative(process.cwd(), localFile) },
    { label: 'Server log', url: path.relative(process.cwd(), path.join(dir, 'server.log')) },
  ];
  print(`\n${bold('Open')}`);
  for (const { label, url } of [...fixed, ...links, ...files]) print(`  ${label.padEnd(36)} ${url}`);
  print(dim('\nNo real money is involved. Ctrl-C stops everything; the data stays for the next run.'));
}
