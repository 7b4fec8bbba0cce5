import MarkdownIt from 'markdown-it';
import { findGuide, listGuides } from './site-config';

/** The line with which a guide asks its reader to save a program. */
const saveAs = /\bsave as `([\w-]+\.mjs)`:$/i;

let programs: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * Finds a program in the guides, so that readers can download it.
 * @param name such as `pay.mjs`
 * @returns null if no guide has it
 */
export async function findProgram(name: string): Promise<string | null> {
  programs ??= readPrograms();
  return (await programs).get(name) ?? null;
}

/** If two guides have programs with the same name, the first one counts. */
async function readPrograms(): Promise<ReadonlyMap<string, string>> {
  const guides = await listGuides();
  const texts = await Promise.all(guides.map(async ({ name }) => (await findGuide(name))?.text ?? ''));
  return new Map(texts.flatMap(programsIn).reverse());
}

function programsIn(markdown: string): [name: string, text: string][] {
  const tokens = new MarkdownIt().parse(markdown, {});
  return tokens.flatMap(({ type, content }, index): [string, string][] => {
    const name = saveAs.exec(tokens[index - 2]?.content ?? '')?.[1];
    return type === 'fence' && name ? [[name, content]] : [];
  });
}
