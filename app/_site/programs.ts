import MarkdownIt from 'markdown-it';
import { readGuide } from './site-config';

/** The line with which a guide asks its reader to save a program. */
const saveAs = /\bsave as `([\w-]+\.mjs)`:$/i;

/**
 * Finds a program in the guides, so that readers can download it.
 * @param name such as `pay.mjs`
 * @param guides the names of the guides to search
 * @returns null if no guide has it
 */
export async function findProgram(name: string, guides: readonly string[]): Promise<string | null> {
  for (const guide of guides) {
    const found = programsIn((await readGuide(guide)) ?? '').get(name);
    if (found !== undefined) return found;
  }
  return null;
}

function programsIn(markdown: string): Map<string, string> {
  const tokens = new MarkdownIt().parse(markdown, {});
  return new Map(
    tokens.flatMap(({ type, content }, index): [string, string][] => {
      const name = saveAs.exec(tokens[index - 2]?.content ?? '')?.[1];
      return type === 'fence' && name ? [[name, content]] : [];
    }),
  );
}
