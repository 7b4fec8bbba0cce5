// Ends an app in this process as kill -9 ends a process. From that moment the app no longer reaches a socket, a file, a child
// or a thread, its intervals stop, and everything that it had open is closed. Loaded before everything else, because it
// replaces functions of Node that packages keep references to when they are loaded.
import { AsyncLocalStorage } from 'node:async_hooks';
import childProcess, { type ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import workerThreads from 'node:worker_threads';

// biome-ignore lint/suspicious/noExplicitAny: functions of Node of every shape are wrapped, and called as they came
type AnyFunction = (...args: any[]) => any;

/** Never settles, because the process that would wait for it is dead. */
const never = () => new Promise<never>(() => undefined);

const storage = new AsyncLocalStorage<Lifetime>();

/** Kept from the garbage collector: a timer of fetch may still refer to the connection that it was set for. */
const closedSockets: net.Socket[] = [];

/** Everything that was started in this lifetime, until it ends. */
export class Lifetime {
  #isOver = false;
  readonly #closings = new Set<() => unknown>();

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls a function. Everything that it starts, now or later, belongs to this lifetime. */
  run<Result>(work: () => Result): Result {
    return storage.run(this, work);
  }

  /** Closes a thing at the end of the lifetime, unless its `closed` event has been emitted. */
  own(thing: EventEmitter, closed: 'close' | 'exit', close: () => unknown): void {
    this.#closings.add(close);
    thing.once(closed, () => this.#closings.delete(close));
  }

  /** Closes a socket at the end, without calling its listeners: what they start could interfere with the next server. */
  ownSocket(socket: net.Socket): void {
    this.own(socket, 'close', () => {
      closedSockets.push(socket);
      socket.removeAllListeners();
      // An `error` event without a listener would end this process.
      socket.on('error', () => undefined);
      socket.destroy();
    });
  }

  end(): void {
    this.#isOver = true;
    for (const close of this.#closings) close();
    this.#closings.clear();
  }
}

const isOver = () => storage.getStore()?.isOver === true;

/** Ignores calls after the end. */
function untilEnd<Callback extends AnyFunction>(callback: Callback): AnyFunction {
  const lifetime = storage.getStore();
  return lifetime ? (...args) => (lifetime.isOver ? undefined : callback(...args)) : callback;
}

/** Starts nothing after the end, and never settles work that was in progress. */
function promiseUntilEnd(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args) {
    const lifetime = storage.getStore();
    if (lifetime?.isOver) return never();
    const begun: unknown = original.apply(this, args);
    if (!lifetime || !(begun instanceof Promise)) return begun;
    return new Promise((resolve, reject) => {
      begun.then(
        (value) => lifetime.isOver || resolve(value),
        (error) => lifetime.isOver || reject(error),
      );
    });
  };
}

/** The same for a function whose last argument is a callback. */
function callbackUntilEnd(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args) {
    if (isOver()) return undefined;
    const last = args.at(-1);
    if (typeof last === 'function') args[args.length - 1] = untilEnd(last);
    return original.apply(this, args);
  };
}

function replace(
  owner: object,
  names: readonly string[],
  wrap: (original: AnyFunction) => AnyFunction,
): void {
  // The names are those of Node's functions. Node's types do not allow replacing them.
  const functions = owner as Record<string, AnyFunction | undefined>;
  for (const name of names) {
    const original = functions[name];
    if (!original) throw new Error(`this Node has no ${name}`);
    const wrapped = wrap(original);
    // setTimeout and others carry their promise variant with them.
    const variant = Object.getOwnPropertyDescriptor(original, promisify.custom);
    if (variant) Object.defineProperty(wrapped, promisify.custom, variant);
    functions[name] = wrapped;
  }
}

const changingFiles = [
  ...['open', 'writeFile', 'appendFile', 'copyFile', 'rename', 'rm', 'rmdir', 'unlink', 'mkdir', 'mkdtemp'],
  ...['link', 'symlink', 'chmod', 'chown', 'truncate', 'utimes'],
];

/** Timers of up to this length still fire after the end. */
const promptMs = 20;

/**
 * After the end, only very short timers still fire. Packages share some of them across the process, such as viem's timer for
 * the next batch of requests to a URL; if it never fired, no batch to that URL would ever be sent again.
 */
function replaceTimers(): void {
  const setUntilEnd =
    (original: AnyFunction): AnyFunction =>
    (callback, ms = 0, ...args) =>
      original(ms > promptMs ? untilEnd(callback) : callback, ms, ...args);
  const repeatUntilEnd =
    (original: AnyFunction): AnyFunction =>
    (callback, ...args) => {
      const lifetime = storage.getStore();
      const timer = original(
        (...given: unknown[]) => {
          if (lifetime?.isOver) clearInterval(timer);
          else callback(...given);
        },
        ...args,
      );
      return timer;
    };
  for (const owner of [globalThis, timers]) {
    replace(owner, ['setTimeout'], setUntilEnd);
    replace(owner, ['setInterval'], repeatUntilEnd);
  }
  replace(timersPromises, ['setTimeout', 'setImmediate'], promiseUntilEnd);
}

async function replaceFiles(): Promise<void> {
  replace(fsPromises, changingFiles, promiseUntilEnd);
  replace(fs, [...changingFiles, 'write', 'writev', 'fsync', 'fdatasync'], callbackUntilEnd);
  const handle = await fsPromises.open(process.execPath);
  replace(
    Object.getPrototypeOf(handle),
    ['write', 'writev', 'writeFile', 'appendFile', 'truncate', 'sync', 'datasync'],
    promiseUntilEnd,
  );
  await handle.close();
}

function replaceSockets(): void {
  replace(
    net.Socket.prototype,
    ['connect'],
    (original) =>
      function (this: net.Socket, ...args) {
        const lifetime = storage.getStore();
        if (lifetime?.isOver) return this;
        lifetime?.ownSocket(this);
        return original.apply(this, args);
      },
  );
}

/**
 * Kills a child and everything that it started in its process group. A browser exits when the process at the other end of
 * its pipe does, but this process lives on.
 */
function killWithGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The child is not the leader of a process group.
    child.kill('SIGKILL');
  }
}

function replaceChildren(): void {
  replace(childProcess, ['spawn'], (original) => (...args) => {
    const lifetime = storage.getStore();
    if (lifetime?.isOver) throw new Error('this process is dead');
    const child: ChildProcess = original(...args);
    lifetime?.own(child, 'exit', () => killWithGroup(child));
    return child;
  });
  workerThreads.Worker = class extends workerThreads.Worker {
    constructor(...args: ConstructorParameters<typeof workerThreads.Worker>) {
      const lifetime = storage.getStore();
      if (lifetime?.isOver) throw new Error('this process is dead');
      super(...args);
      lifetime?.own(this, 'exit', () => {
        // A pool would start a replacement.
        this.removeAllListeners('exit');
        return this.terminate();
      });
    }
  };
}

/** To be called once, before the modules whose functions belong to a lifetime are loaded. */
export async function watchLifetimes(): Promise<void> {
  replaceTimers();
  await replaceFiles();
  replaceSockets();
  replaceChildren();
  syncBuiltinESMExports();
}
