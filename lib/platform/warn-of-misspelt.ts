import type { Logger } from './log';
import { misspeltIn } from './settings';

/** Says at start which variables of the environment look like settings and have no effect. Their values are not logged. */
export function warnOfMisspelt(log: Logger, environment: Record<string, string | undefined>): void {
  for (const { name, similar } of misspeltIn(environment))
    log.warn(
      { name, ...(similar === null ? {} : { similar }) },
      'an environment variable looks like a setting and has no effect',
    );
}
