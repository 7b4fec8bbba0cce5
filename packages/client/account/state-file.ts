import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { lock } from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { refuse } from '../tool-error';
import { emptyState, type State, stateSchema } from './account-state';

/** A lock that was not refreshed for this long belongs to a dead process. */
const staleMs = 5_000;
const waitMs = 100;

export interface Change<T> {
  readonly state: State;
  readonly result: T;
}

/** The state for one service, in a file that several adapters may share. */
export interface StateFile {
  readonly file: string;
  read(): Promise<State>;
  /**
   * Replaces the state with the result of `change`, under a lock. An unchanged state is not written.
   */
  update<T>(change: (state: State) => Promise<Change<T>>): Promise<T>;
}

/**
 * Opens the state file of a service. Each service has its own, so that a token is sent only to the origin that issued it.
 * @param folder created if missing, readable only by its owner
 */
export function openStateFile(folder: string, apiUrl: string): StateFile {
  const file = path.join(folder, `${apiUrl.replace('://', '-').replaceAll(/[^A-Za-z0-9.-]/g, '_')}.json`);
  const read = async (): Promise<State> => {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw unusable(file, 'cannot be read', error);
    });
    return text === undefined ? emptyState : parseState(file, text);
  };
  return {
    file,
    read,
    async update(change) {
      await prepareFolder(folder);
      let isLockLost = false;
      const release = await lock(file, {
        // The file may not exist yet.
        realpath: false,
        stale: staleMs,
        retries: { retries: (4 * staleMs) / waitMs, factor: 1, minTimeout: waitMs, maxTimeout: waitMs },
        onCompromised: () => {
          isLockLost = true;
        },
      }).catch((error: unknown) => {
        throw unusable(file, 'is locked by another process', error);
      });
      try {
        const before = await read();
        const { state, result } = await change(before);
        // Another adapter may have taken the lock, for example after the machine slept.
        if (isLockLost) throw unusable(file, 'was locked by another process. Call the tool again');
        if (state !== before) await write(file, state);
        return result;
      } finally {
        if (!isLockLost) await release();
      }
    },
  };
}

async function write(file: string, state: State): Promise<void> {
  try {
    await writeFileAtomic(file, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw unusable(file, 'cannot be written', error);
  }
}

function parseState(file: string, text: string): State {
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (error) {
    // Never overwrite it: it may hold the token of an account with money in it.
    throw unusable(file, 'is damaged or from a newer version. Repair it or move it away', error);
  }
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The folder may already have existed, readable by others.
    if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    throw unusable(folder, 'cannot be created or made private', error);
  }
}

function unusable(place: string, what: string, cause?: unknown) {
  return refuse('local_state_unusable', `${place} ${what}.`, { retry: 'stop', cause });
}
