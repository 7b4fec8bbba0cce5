import { setTimeout as pause } from 'node:timers/promises';

export { pause };

/** Polls until the condition holds. The limit is for a busy machine: what takes this long there takes seconds elsewhere. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(50);
  }
}
