import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import MarkdownIt from 'markdown-it';

/** Follows guides like a reader: saves their files and runs their commands in one shell, in an empty folder. */

/** Every page with samples: the README, the guides and related pages. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'packages/client/README.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** A fenced block of a page. */
export interface Block {
  /** Its page, first line and text, for messages and lists. */
  readonly name: string;
  readonly language: string;
  readonly text: string;
  /** The paragraph before it. */
  readonly before: string;
}

/** The fenced blocks of a Markdown file of this repository, in order. */
export async function blocksOf(file: string): Promise<Block[]> {
  const tokens = new MarkdownIt().parse(await readFile(file, 'utf8'), {});
  return tokens.flatMap(({ type, content, info }, index) => {
    if (type === 'code_block') throw new Error(`${file} has code outside a fence: ${content}`);
    if (type !== 'fence') return [];
    const [inline, end] = tokens.slice(Math.max(0, index - 2), index);
    const before = end?.type === 'paragraph_close' ? (inline?.content ?? '') : '';
    return [{ name: `${file}: ${content.split('\n')[0]}`, language: info, text: content, before }];
  });
}

/** The file name that a page gives a block. */
export function fileNameOf({ before }: Block): string | undefined {
  return /\bsave as `([\w.-]+)`:$/i.exec(before)?.[1];
}

/** Packages that the commands of a page install, with their versions. */
export function installedBy(blocks: readonly Block[]): { name: string; version: string }[] {
  const lines = blocks.filter(isShell).flatMap(({ text }) => text.match(installation) ?? []);
  return lines
    .flatMap((line) => line.trim().split(' ').slice(2))
    .map((specifier) => {
      const at = specifier.lastIndexOf('@');
      return { name: specifier.slice(0, at), version: specifier.slice(at + 1) };
    });
}

const installation = /^npm install .*$/gm;
const isShell = ({ language }: Block) => language === 'sh';

/** The folder of a reader. */
export class Reader {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async sitDown(): Promise<Reader> {
    return new Reader(await mkdtemp(path.join(tmpdir(), 'tuppence-reader-')));
  }

  /** Links these packages into the folder, and no others can be imported there. */
  async install(names: readonly string[]): Promise<void> {
    // As npm does.
    if (!existsSync(path.join(this.folder, 'package.json'))) await this.save('package.json', '{}');
    for (const name of new Set(names)) {
      const place = path.join(this.folder, 'node_modules', name);
      await mkdir(path.dirname(place), { recursive: true });
      await symlink(path.resolve('node_modules', name), place);
    }
  }

  async save(name: string, text: string): Promise<void> {
    const place = path.join(this.folder, name);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  }

  /**
   * Runs shell blocks one after another in one shell, which exits at the first command that fails.
   * @param fillIn replaces the placeholders of the page
   * @returns what each block printed, both streams together
   */
  async type(blocks: readonly Block[], fillIn: (text: string) => string): Promise<string[]> {
    const mark = '--- next block ---';
    const script = blocks.map(({ text }) => `${fillIn(text.replaceAll(installation, ''))}\necho '${mark}'`);
    const { code, printed } = await this.#run(['exec 2>&1', ...script].join('\n'));
    const outputs = printed.split(`${mark}\n`);
    const rest = outputs.pop() ?? '';
    if (code !== 0) throw new Error(`${blocks[outputs.length]?.name} ended with ${code}: ${rest}`);
    return outputs;
  }

  #run(script: string): Promise<{ code: number; printed: string }> {
    // npm is available, but offline.
    const npm = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
    const env = { PATH: process.env.PATH, HOME: this.folder, NODE_ENV: 'production' as const, ...npm };
    return new Promise((resolve) => {
      execFile('sh', ['-e', '-c', script], { cwd: this.folder, env }, (error, stdout) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout }),
      );
    });
  }

  async leave(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The lines of a page's expected output (`…` matches anything) that were not printed in this order. */
export function missingLines(announced: string, printed: string): string[] {
  const lines = printed.split('\n');
  return announced
    .trimEnd()
    .split('\n')
    .filter((line) => {
      const pattern = new RegExp(`^${line.split('…').map(escaped).join('.*')}$`);
      const found = lines.findIndex((candidate) => pattern.test(candidate));
      if (found >= 0) lines.splice(0, found + 1);
      return found < 0;
    });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
