import path from 'node:path';
import ts from 'typescript';
import { read } from './sources';

/** One module that a file names in an import, an export or an `import()`. */
export interface Reference {
  /** A path from the root without its extension (`lib/platform/ids`), or the name of a package. */
  readonly target: string;
  readonly isPackage: boolean;
  /** Whether it imports only types, and so does not exist at run time. */
  readonly isTypeOnly: boolean;
}

const known = new Map<string, Reference[]>();

/** Every module that a file refers to. */
export function findReferences(file: string): Reference[] {
  const references = known.get(file) ?? parseReferences(file);
  known.set(file, references);
  return references;
}

function parseReferences(file: string): Reference[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const found: Reference[] = [];
  const add = (specifier: ts.Expression | undefined, isTypeOnly: boolean) => {
    if (specifier && ts.isStringLiteral(specifier)) found.push(resolve(file, specifier.text, isTypeOnly));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyImport(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnlyImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const named = clause.namedBindings;
  return (
    !clause.name &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.every((element) => element.isTypeOnly)
  );
}

function resolve(file: string, specifier: string, isTypeOnly: boolean): Reference {
  const isPackage = !specifier.startsWith('@/') && !specifier.startsWith('.');
  const target = specifier.startsWith('@/')
    ? specifier.slice(2)
    : specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), specifier)
      : specifier;
  return { target, isPackage, isTypeOnly };
}
