import ts from 'typescript';
import { listFiles, read } from './sources';

/** Stands for the parts of a title that differ between the cases of a parametrized test. */
const gap = '…';

/** The test titles in the source of a spec file, with `…` for each `${…}`. Skipped tests are left out. */
function titlesIn(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  const constants = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const text = textOf(node.initializer);
      if (text !== null) constants.set(node.name.text, text);
    }
    if (ts.isCallExpression(node) && /^(test|bare)$/.test(node.expression.getText(source))) {
      const [first] = node.arguments;
      const text = first && (ts.isIdentifier(first) ? (constants.get(first.text) ?? null) : textOf(first));
      if (text) titles.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(gap);
}

/** Every spec file below tests, and its titles. Read once. */
export function allTitles(): ReadonlyMap<string, readonly string[]> {
  known ??= new Map(listFiles(/^tests\/.*\.spec\.ts$/).map((file) => [file, titlesIn(file)]));
  return known;
}

let known: ReadonlyMap<string, readonly string[]> | undefined;
