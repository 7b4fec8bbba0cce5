// `npm run demo`: runs the stack, the server and the tour until Ctrl-C. bootstrap.mjs starts it after installing and building.
import { CannotStartError, checkCanStart, readDemoOptions } from './demo-options';
import type { Running } from './demo-run';
import { bold, dim, print, printFailure } from './terminal';
import { whenBuilt } from './when-built';

const running: Running = {};
let isStopping = false;
const stopped = new Promise<void>((resolve) => {
  const stop = () => {
    // The second signal exits at once; the child processes end with this one.
    if (isStopping) process.exit(130);
    isStopping = true;
    print(dim('\nStopping …'));
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
});

async function start(): Promise<void> {
  const options = readDemoOptions(process.argv.slice(2), process.env);
  await checkCanStart(options.port);
  running.isDone = options.isOnlyCheck;
  if (options.isOnlyCheck) return;
  print(`${bold('Tuppence')} on local chains, with test money`);
  // Importing it takes a second, so the line above is printed first.
  const { runDemo } = await import('./demo-run');
  await runDemo(options, running, { built, stopped });
}

// bootstrap.mjs builds the server meanwhile. Started by hand, the demo runs what has been built.
const built = whenBuilt<void>();
// A build that fails stops the demo, which may not have come to wait for it.
built.catch(() => undefined);

// Nothing else keeps the process alive while it waits for a signal.
const keepAlive = setInterval(() => undefined, 60_000);
const failure = await Promise.race([start(), stopped]).then(
  () => undefined,
  (error: unknown) => error ?? new Error('The demo failed.'),
);
if (failure !== undefined) printFailure(failure);
await running.server?.stop();
await running.stack?.stop();
clearInterval(keepAlive);
if (failure !== undefined) process.exit(failure instanceof CannotStartError ? 2 : 1);
process.exit(running.isDone ? 0 : 130);
