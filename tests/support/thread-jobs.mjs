// Jobs for tests of lib/threads, run as a thread runs check-thread.ts.

/** Keeps the thread busy and says which job it was. */
export function busy({ name, ms }) {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return name;
}

export function forever() {
  for (;;);
}

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
