import { hostname, userInfo } from 'node:os';
import type { Operator } from '@/lib/db/operator-actions';

/** Who runs the program: the system user on this machine. */
export function systemOperator(): Operator {
  return { name: `cli:${userName()}@${hostname()}`, address: null };
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
