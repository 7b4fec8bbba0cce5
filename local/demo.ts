// The demo supervisor: the stack, the server, the tour, until Ctrl-C. Started by bootstrap.mjs, which installs and builds.
import { Refusal, readDemoOptions, refuseIfUnfit } from './demo-options';
import type { Running } from './demo-run';
import { bold, dim, print, printFailure } from './terminal';

const running: Running = {};
let isEnding = false;
const ended = new Promise<void>((resolve) => {
  const end = () => {
    // The second time somebody means it; the children end with us.
    if (isEnding) process.exit(130);
    isEnding = true;
    print(dim('\nEnding …'));
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  process.on('disconnect', end);
});

async function start(): Promise<void> {
  const options = readDemoOptions(process.argv.slice(2), process.env);
  await refuseIfUnfit(options.port);
  running.isDone = options.isOnlyCheck;
  if (options.isOnlyCheck) return;
  print(`${bold('Tuppence')}, with local chains and play money`);
  // Loaded late: it takes a second, and the words above should not.
  const { runDemo } = await import('./demo-run');
  await runDemo(options, running, ended);
}

// Nothing else keeps the process alive while it only waits.
const keepAlive = setInterval(() => undefined, 60_000);
const failure = await Promise.race([start(), ended]).then(
  () => undefined,
  (error: unknown) => error ?? new Error('The demo failed.'),
);
if (failure !== undefined) printFailure(failure);
await running.server?.stop();
await running.stack?.stop();
clearInterval(keepAlive);
if (failure !== undefined) process.exit(failure instanceof Refusal ? 2 : 1);
process.exit(running.isDone ? 0 : 130);
