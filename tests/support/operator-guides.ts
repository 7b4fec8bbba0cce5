import { readdirSync, readFileSync } from 'node:fs';

/** A page in `docs` for operators. */
export interface OperatorGuide {
  readonly file: string;
  readonly text: string;
}

const pageOf = (file: string): OperatorGuide => ({ file, text: readFileSync(file, 'utf8') });

/** The pages about what to do in incidents. */
export const incidentGuides: readonly OperatorGuide[] = readdirSync('docs/incidents').map((name) =>
  pageOf(`docs/incidents/${name}`),
);

/** Every page for operators. */
export const operatorGuides: readonly OperatorGuide[] = [
  ...[
    'first-sale',
    'operating',
    'operating-calls',
    'operating-services',
    'deploying',
    'metrics',
    'incidents',
    'scaling',
    'operating-channels',
  ].map((name) => pageOf(`docs/${name}.md`)),
  ...incidentGuides,
];

/** Everything that a page formats as code, inline and in blocks. */
export function codeIn({ text }: OperatorGuide): string[] {
  const blocks = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, code = '']) => code);
  const sentences = text.replaceAll(/^ *```\w*\n[\s\S]*?^ *```$/gm, '');
  return [...blocks, ...[...sentences.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)];
}

/** The cell of the table "What you see" with this title. */
export function seenIn({ text }: OperatorGuide, title: string): string[] {
  const row = new RegExp(`^\\| ${title} \\| (.*) \\|$`, 'm').exec(text)?.[1] ?? '';
  return [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
