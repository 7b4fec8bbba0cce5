import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listFiles } from '@/tests/repo/sources';
import type { Change } from './bugs';

/** The result of running a program. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Shared by all copies: the packages, the database client and the pages, none of which get a bug. */
const linked = ['node_modules', 'lib/platform/database/generated', '.next', 'packages/client/dist'];

const build =
  "import('./scripts/build-programs.mjs').then(({ buildPrograms }) => buildPrograms('dist', 'server.ts', 'worker.ts', 'tuppence.ts', 'check-thread.ts'))";

/** A built copy of this repository, in which bugs are planted and removed again. */
export class Tree {
  readonly #folder: string;
  readonly #root: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#root = path.join(folder, 'tree');
  }

  static async make(): Promise<Tree> {
    const tree = new Tree(await mkdtemp(path.join(tmpdir(), 'tuppence-test-bugs-')));
    // Browsers run as another user, who must be able to read their program and fonts.
    await chmod(tree.#folder, 0o755);
    await mkdir(path.join(tree.#folder, 'tmp'));
    for (const file of listFiles(/^(?!.*\.tsbuildinfo$)/)) await tree.#copy(file);
    for (const folder of ['dist', 'public']) await tree.#copy(folder);
    for (const folder of linked) await symlink(path.resolve(folder), tree.#place(folder));
    return tree;
  }

  end(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Plants a bug, does something, and removes the bug again.
   * @param isBuilt whether the programs are built with the bug; tests that start none do not need it
   */
  async during<Result>(
    changes: readonly Change[],
    isBuilt: boolean,
    act: () => Promise<Result>,
  ): Promise<Result> {
    try {
      for (const change of changes) await this.#plant(change);
      if (isBuilt) await this.#build();
      return await act();
    } finally {
      for (const { file, find } of changes) {
        // A migration has its own folder.
        if (find === '') await rm(path.dirname(this.#place(file)), { recursive: true });
        else await this.#copy(file);
      }
    }
  }

  async #build(): Promise<void> {
    const built = await this.#run({}, '--eval', build);
    if (built.code !== 0) throw new Error(`it does not build:\n${built.output}`);
  }

  /** Runs test files until the first failure. */
  test(...args: readonly string[]): Promise<Outcome> {
    const env = { NODE_OPTIONS: '--max-semi-space-size=64' };
    return this.#run(env, 'node_modules/@playwright/test/cli.js', 'test', '--max-failures', '1', ...args);
  }

  async #plant({ file, find, replace }: Change): Promise<void> {
    await mkdir(path.dirname(this.#place(file)), { recursive: true });
    const text = find === '' ? '' : await readFile(this.#place(file), 'utf8');
    await writeFile(this.#place(file), find === '' ? replace : text.replace(find, () => replace));
  }

  async #copy(file: string): Promise<void> {
    await cp(file, this.#place(file), { recursive: true });
  }

  #place(file: string): string {
    return path.join(this.#root, file);
  }

  #run(env: Record<string, string>, ...args: readonly string[]): Promise<Outcome> {
    const temporary = path.join(this.#folder, 'tmp');
    const own = { PATH: process.env.PATH, NODE_ENV: 'test' as const, TMPDIR: temporary, ...env };
    const options = { cwd: this.#root, env: own, maxBuffer: 2 ** 28 };
    return new Promise((resolve) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  }
}
