// Jobs for tests of lib/platform/threads, run as a thread runs check-thread.ts.
import { readFileSync } from 'node:fs';

/** As in lib/platform/threads/thread-time.ts. */
const asJob =
  (run) =>
  ({ data, mark }) => {
    const stat = readFileSync('/proc/thread-self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    mark[0] = Number.parseInt(stat, 10);
    mark[1] = Number(fields[11]) + Number(fields[12]);
    return run(data);
  };

/** Keeps the thread busy and says which job it was. */
export const busy = asJob(({ name, ms }) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return name;
});

/** Takes long and needs hardly any CPU time, as on a machine that is busy with something else. */
export const starved = asJob((ms) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return 'done';
});

export const forever = asJob(() => {
  for (;;);
});

export function exit() {
  process.exit(7);
}

/** Takes more memory than a thread may have. */
export function devour() {
  const taken = [];
  for (;;) taken.push(new Array(100_000).fill(taken.length));
}

export function refuse() {
  throw new Error('refused');
}

export function settings() {
  return Object.keys(process.env);
}
