import { about } from '@/lib/catalog/about';
import type { SiteConfig } from '../site-config';
import { clientMethods } from './methods';
import { pythonProgram, typescriptProgram } from './programs';
import { pythonPath } from './python';
import { typescriptPath } from './typescript';

export const samplesPath = '/clients/samples.md';

/** A document with a program for every operation in TypeScript and Python. */
export function samplesText(site: SiteConfig): string {
  const { publicUrl } = site;
  const sections = clientMethods(site).map((method) => {
    const python = pythonProgram(method, site);
    return [
      `## ${method.operation.id}`,
      method.summary,
      fenced('ts', typescriptProgram(method, site)),
      python === null ? 'The Python client does not sign in with a wallet.' : fenced('python', python),
    ].join('\n\n');
  });
  return `${[
    `# ${about.name}: samples`,
    `A program for every call, with the typed clients [for TypeScript](${publicUrl}${typescriptPath}) and [for Python](${publicUrl}${pythonPath}). Save a TypeScript program as \`call.mts\`; Node 22.18 or later runs it as it is. One key for each thing you buy, the same key on every retry: the programs derive it from the call and its input, so you can run one again after a lost response. To buy the same again, set \`KEY\` to a new value. ${publicUrl}/docs/typed-clients explains how to pay in other ways.`,
    ...sections,
  ].join('\n\n')}\n`;
}

/** A fenced block whose fence does not occur in the text. */
function fenced(language: string, text: string): string {
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
