/** What a process of the simulation uses of pino: lines of JSON, which go where it is told. */

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 };
type Level = keyof typeof levels;

/** @param destination nothing is written without one */
export function pino(
  { level }: { readonly level: Level },
  destination?: { readonly write: (line: string) => void },
) {
  const at = (own: Level) => (first: unknown, text?: string) => {
    if (levels[own] < levels[level] || !destination) return;
    const fields = typeof first === 'string' ? { msg: first } : { ...Object(first), msg: text };
    const line = JSON.stringify({ level: levels[own], ...fields }, (_, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    destination.write(line);
  };
  return {
    level,
    ...{ trace: at('trace'), debug: at('debug'), info: at('info') },
    ...{ warn: at('warn'), error: at('error'), fatal: at('fatal') },
  };
}
