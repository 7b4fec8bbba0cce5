import type { ChildProcess } from 'node:child_process';
import { chown, readdir, readFile, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Browser } from 'puppeteer-core';
import { newBrowserFolder } from './folder';
import type { Isolation } from './isolation';

/** Sends SIGKILL to a process group, if it still exists. */
function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits until a killed group has no processes, because a dying one may still write. */
async function groupEnd(leaderPid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 20) {
    try {
      process.kill(-leaderPid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pageBytes = 4096;

const readAtOnce = 32;

/**
 * The private memory of a process group in bytes, without mapped files and shared memory. Null where the system does
 * not report it (only Linux has `/proc`).
 */
export async function groupMemory(leaderPid: number): Promise<number | null> {
  const names = await readdir('/proc').catch(() => null);
  if (!names) return null;
  const pids = names.filter((name) => /^\d+$/.test(name));
  const pagesOf = async (pid: string) => {
    const text = await readProc(pid, 'stat');
    // proc(5): the command in parentheses may contain anything, so fields are counted after it.
    const [, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (Number(group) !== leaderPid) return 0;
    const [, resident = 0, shared = 0] = (await readProc(pid, 'statm')).split(' ').map(Number);
    return resident - shared;
  };
  let pages = 0;
  // Limits the number of open files, however many processes the machine has.
  while (pids.length > 0) {
    const some = await Promise.all(pids.splice(-readAtOnce).map(pagesOf));
    pages += some.reduce((sum, one) => sum + one, 0);
  }
  return pages * pageBytes;
}

/** Returns an empty string when the process is gone. */
function readProc(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}

const launchTimeoutMs = 10_000;
/** Far more than a document needs. The browser is killed above this, before the host suffers. */
const memoryMax = 1024 * 1024 * 1024;
/**
 * Far more than an accepted document needs: the largest PDF is a fifth of it. A page decides how long the URLs in the
 * browser's messages are, and this process keeps and parses each message.
 */
const receivedMax = 64 * 1024 * 1024;
/** Most documents finish before the first check, which reads every process of the machine. */
const memoryCheckMs = 400;

export interface LaunchOptions {
  readonly chromium: string;
  /** Whether that is the packaged headless shell, and not the operator's own Chromium. */
  readonly isPackaged: boolean;
  /** A folder of shared libraries that the host lacks; null when it has all. */
  readonly libraries: string | null;
  readonly fontSettings: string;
  readonly isolation: Isolation;
}

/** The browser failed. */
export class BrowserEnded extends Error {}
/** We killed it because the document needed too much. Another browser would not help. */
export class DocumentTooHeavy extends BrowserEnded {}
/** The document needed too much memory, or made the browser send us too much. */
export class OutOfMemory extends DocumentTooHeavy {}

/** The first process of a browser. */
interface Launched {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly messages: Readable | Writable;
}

/** A running Chromium with its processes, folder and limits. */
export class BrowserProcess {
  readonly browser: Browser;
  readonly #pid: number;
  readonly #folder: string;
  readonly #exited: Promise<void>;
  /** The pipe from the browser, which puppeteer reads. */
  readonly #messages: Readable | Writable;
  #ending: Promise<void> | null = null;

  private constructor(browser: Browser, { pid, child, messages }: Launched, folder: string) {
    this.browser = browser;
    this.#pid = pid;
    this.#folder = folder;
    this.#exited = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
    this.#messages = messages;
  }

  /**
   * Starts a browser with these switches and those of its isolation. If it fails to start, it leaves nothing behind.
   */
  static async start(
    { chromium, libraries, fontSettings, isolation }: LaunchOptions,
    switches: readonly string[],
  ): Promise<BrowserProcess> {
    const folder = await newBrowserFolder();
    if (isolation.uid !== null) await chown(folder, isolation.uid, isolation.uid);
    // Loaded here, because it would slow down a start that may need no browser.
    const { default: puppeteer } = await import('puppeteer-core');
    let browser: Browser;
    try {
      browser = await puppeteer.launch({
        executablePath: isolation.program ?? chromium,
        ignoreDefaultArgs: true,
        args: [
          ...isolation.before,
          ...isolation.switches,
          ...switches,
          `--user-data-dir=${folder}`,
          'about:blank',
        ],
        pipe: true,
        timeout: launchTimeoutMs,
        protocolTimeout: 60_000,
        // We attach to pages and workers ourselves (page-browser.ts).
        waitForInitialPage: false,
        targetFilter: () => false,
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
        // None of our settings, secrets or proxies.
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          TMPDIR: folder,
          TZ: 'UTC',
          FONTCONFIG_FILE: fontSettings,
          ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }),
        },
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const child = browser.process();
    const messages = child?.stdio[4];
    if (!child?.pid || !messages) throw new Error('the browser has no process');
    return new BrowserProcess(browser, { pid: child.pid, child, messages }, folder);
  }

  get isAlive(): boolean {
    return this.#ending === null && this.browser.connected;
  }

  /**
   * Runs work within limits of time and memory.
   * @throws BrowserEnded when the browser died, DocumentTooHeavy when we killed it; either way it is gone
   */
  async within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const guard = this.#guard(timeoutMs);
    try {
      return await Promise.race([work(), guard.broken]);
    } catch (error) {
      // Killed at once. Nobody waits for the clean-up, and the pool handles its errors.
      this.end().catch(() => undefined);
      if (error instanceof BrowserEnded) throw error;
      throw new BrowserEnded('the browser failed', { cause: error });
    } finally {
      guard.stop();
    }
  }

  /** Kills the browser's processes and removes its files. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      killGroup(this.#pid);
      await this.#exited;
      await groupEnd(this.#pid);
      await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    })();
    return this.#ending;
  }

  /** Ends work that takes too long, too much memory or too many messages, even if the browser no longer responds. */
  #guard(timeoutMs: number): { broken: Promise<never>; stop(): void } {
    const stops: (() => void)[] = [];
    const broken = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new DocumentTooHeavy('out of time')), timeoutMs);
      const watch = setInterval(async () => {
        if (((await groupMemory(this.#pid)) ?? 0) > memoryMax) reject(new OutOfMemory('out of memory'));
      }, memoryCheckMs);
      let received = 0;
      const onMessage = (chunk: Buffer) => {
        received += chunk.length;
        if (received > receivedMax) reject(new OutOfMemory('it had too much sent to us'));
      };
      this.#messages.on('data', onMessage);
      const onExit = () => reject(new BrowserEnded('the browser is gone'));
      this.browser.once('disconnected', onExit);
      stops.push(
        () => this.#messages.off('data', onMessage),
        () => clearTimeout(timer),
        () => clearInterval(watch),
        () => this.browser.off('disconnected', onExit),
      );
      if (!this.browser.connected) onExit();
    });
    broken.catch(() => undefined);
    const stop = () => {
      for (const end of stops) end();
    };
    return { broken, stop };
  }
}
