import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { listFiles } from '../sources';

/** The result of running a program. */
interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** The tests that a copy needs: those that fail if a step is forgotten, and the program that serves the app. */
const copiedTests =
  /^tests\/(unit\/(catalog|services)\.spec|repo\/(routes\.spec|sources|adding-an-operation\/serve)|support\/(without-browser|platform|timings))\.ts$/;

/** Linked, because they are too large to copy and the same in every copy. */
const linked = ['node_modules', 'lib/platform/database/generated'];

/** A copy of this repository in a folder of its own, to be changed, checked and run. */
export class Copy {
  readonly #folder: string;
  /** The copied tree. */
  readonly root: string;
  /** The folder for what its programs compile, so that nothing outlives the copy. */
  readonly temporary: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.root = path.join(folder, 'tree');
    this.temporary = path.join(folder, 'tmp');
  }

  static async make(): Promise<Copy> {
    const copy = new Copy(await mkdtemp(path.join(tmpdir(), 'tuppence-copy-')));
    await mkdir(copy.temporary);
    const files = listFiles(/^(?!tests\/|.*\.tsbuildinfo$)/);
    for (const file of [...files, ...listFiles(copiedTests)]) {
      await mkdir(path.dirname(copy.#place(file)), { recursive: true });
      await copyFile(file, copy.#place(file));
    }
    for (const folder of linked) await symlink(path.resolve(folder), copy.#place(folder));
    await copy.write('playwright.config.ts', `export default { testDir: 'tests', workers: 1 };\n`);
    return copy;
  }

  end(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  read(file: string): Promise<string> {
    return readFile(this.#place(file), 'utf8');
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(path.dirname(this.#place(file)), { recursive: true });
    await writeFile(this.#place(file), text);
  }

  async remove(...files: readonly string[]): Promise<void> {
    for (const file of files) await rm(this.#place(file));
  }

  /** Does something while a file has other content. */
  async during<Result>(file: string, text: string, act: () => Promise<Result>): Promise<Result> {
    const before = await this.read(file);
    await this.write(file, text);
    try {
      return await act();
    } finally {
      await this.write(file, before);
    }
  }

  /** Runs Node in the copy. */
  run(...args: readonly string[]): Promise<Outcome> {
    const env = {
      PATH: process.env.PATH,
      TMPDIR: this.temporary,
      PWTEST_CACHE_DIR: path.join(this.temporary, 'compiled'),
      // Playwright's own compiler takes many times as long for files that it sees for the first time.
      PW_DISABLE_TS_ESM: '1',
      NODE_OPTIONS: '--import tsx',
      NODE_ENV: 'test' as const,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: this.root, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  }

  runSpecs(...files: readonly string[]): Promise<Outcome> {
    return this.run('node_modules/@playwright/test/cli.js', 'test', '--reporter', 'line', ...files);
  }

  /** The type errors of each of these files. Their imports are loaded but not checked. */
  typeErrors(files: readonly string[]): Map<string, string[]> {
    const { config } = ts.readConfigFile(this.#place('tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: files }, ts.sys, this.root);
    const program = ts.createProgram(
      files.map((file) => this.#place(file)),
      { ...options, incremental: false, types: ['node'] },
    );
    const errorsOf = (file: string) =>
      program
        .getSemanticDiagnostics(program.getSourceFile(this.#place(file)))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    return new Map(files.map((file) => [file, errorsOf(file)]));
  }

  #place(file: string): string {
    return path.join(this.root, file);
  }
}
