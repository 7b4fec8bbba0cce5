import ts from 'typescript';

/** The texts of a program: its string and template literals, with `…` for what a template inserts. */
export function textsIn(program: string): string[] {
  const source = ts.createSourceFile('program.tsx', program, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}
