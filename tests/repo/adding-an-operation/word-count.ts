import { type Block, blocksOf } from '../../support/guides';
import type { Copy } from './copy';

export const catalogFile = 'lib/catalog/tools.ts';
export const serviceFile = 'lib/services/tools/word-count.ts';
export const servicesFile = 'lib/services/index.ts';

/** The files that CONTRIBUTING.md names in the paragraph before each code block, with the content of the blocks. */
async function blocksByFile(): Promise<Map<string, string>> {
  const blocks = (await blocksOf('CONTRIBUTING.md')).filter(({ language }) => language === 'ts');
  return new Map(blocks.map((block) => [fileNamedBefore(block), block.text]));
}

function fileNamedBefore({ before, name }: Block): string {
  const file = [...before.matchAll(/`((?:app|lib)\/[^`]+\.ts)`/g)].at(-1)?.[1];
  if (!file) throw new Error(`no file is named before ${name}`);
  return file;
}

/** Follows CONTRIBUTING.md in a copy of the repository. @returns the files that were written */
export async function addWordCount(copy: Copy): Promise<string[]> {
  const blocks = await blocksByFile();
  const entry = blocks.get(catalogFile) ?? '';
  const catalog = replaced(
    await copy.read(catalogFile),
    "import { noParams } from './operation';",
    "import { noParams, operation } from './operation';",
  );
  const services = replaced(await copy.read(servicesFile), '\n];', '\n  countWords,\n];');
  const files = new Map([
    ...blocks,
    [catalogFile, `${catalog}\n${entry}`],
    [servicesFile, `import { countWords } from './tools/word-count';\n${services}`],
  ]);
  for (const [file, text] of files) await copy.write(file, text);
  return [...files.keys()];
}

/** A text with one part replaced. Throws if the text does not contain that part. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`there is no ${part}`);
  return text.replace(part, by);
}
