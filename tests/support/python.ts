import { execFileSync } from 'node:child_process';

/** The Python of this machine, 3.9 or later; null if it has none. */
export function findPython(): string | null {
  for (const name of ['python3', 'python']) {
    try {
      const isEnough = 'import sys; print(sys.version_info >= (3, 9))';
      if (execFileSync(name, ['-c', isEnough], { stdio: 'pipe' }).toString().trim() === 'True') return name;
    } catch {
      // Try the next name.
    }
  }
  return null;
}
