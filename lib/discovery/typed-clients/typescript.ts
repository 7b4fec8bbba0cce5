import { about } from '@/lib/catalog/about';
import type { RailName } from '@/lib/catalog/operation';
import { isPaid } from '../remote-tools';
import type { SiteConfig } from '../site-config';
import { fillClient } from './client-source';
import { type ClientMethod, camelCase, clientMethods, pascalCase } from './methods';
import type { Shape } from './shape';

/**
 * `.mts` says that it is an ES module, whatever the folder's package.json says. Otherwise tools such as tsx load it as one long
 * `data:` URL, which Node prints with every error.
 */
export const typescriptPath = '/clients/tuppence.mts';

/** The same file under the name that it had before. */
export const earlierTypescriptPath = '/clients/tuppence.ts';

/** The typed client for TypeScript, in one file without dependencies. */
export function typescriptClient(site: SiteConfig): string {
  const methods = clientMethods(site);
  return fillClient('tuppence.mts', site.publicUrl, {
    about: `// A typed client for ${about.name} ${about.version}, made from its catalog. It needs nothing but \`fetch\`, and pays with the \`fetch\` of an
// official client. ${site.publicUrl}/docs/typed-clients says how.`,
    types: methods
      .flatMap((method) => [interfaceOf(`${pascalCase(method.name)}Input`, method.input), resultOf(method)])
      .join('\n\n'),
    routes: methods.map((method) => `  ${camelCase(method.name)}: ${routeOf(method)},`).join('\n'),
    methods: methods.map(methodText).join('\n\n'),
  });
}

function resultOf({ name, output }: ClientMethod): string {
  const title = `${pascalCase(name)}Output`;
  return output.kind === 'object'
    ? interfaceOf(title, output)
    : `export type ${title} = ${typeOf(output, '')};`;
}

function interfaceOf(name: string, shape: Shape): string {
  if (shape.kind !== 'object' || shape.fields.length === 0)
    return `export type ${name} = Record<string, never>;`;
  return `export interface ${name} ${objectOf(shape, '')}`;
}

function objectOf({ fields, isOpen }: Extract<Shape, { kind: 'object' }>, indent: string): string {
  const inner = `${indent}  `;
  const lines = fields.map(({ name, shape, isRequired, description }) => {
    const comment = description ? `${inner}/** ${commentOf(description)} */\n` : '';
    return `${comment}${inner}${nameOf(name)}${isRequired ? '' : '?'}: ${typeOf(shape, inner)};`;
  });
  if (isOpen) lines.push(`${inner}readonly [other: string]: unknown;`);
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n${indent}}`;
}

function typeOf(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return shape.kind;
    case 'integer':
      return 'number';
    case 'any':
      return 'unknown';
    case 'literal':
      return shape.values.map((value) => JSON.stringify(value)).join(' | ');
    case 'list':
      return `ReadonlyArray<${typeOf(shape.items, indent)}>`;
    case 'map':
      return `Readonly<Record<string, ${typeOf(shape.values, indent)}>>`;
    case 'union':
      return shape.members.map((member) => typeOf(member, indent)).join(' | ');
    case 'object':
      return objectOf(shape, indent);
  }
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** Text that cannot end the comment it stands in. */
const commentOf = (text: string): string => text.replaceAll('*/', '*\u200b/').replaceAll(/\s+/g, ' ');

function routeOf(method: ClientMethod): string {
  const { operation, places, takesBody } = method;
  const paths: Partial<Record<RailName | 'free', string>> = isPaid(operation)
    ? operation.paths
    : { free: operation.path };
  return JSON.stringify({ method: operation.method, paths, places: Object.fromEntries(places), takesBody });
}

function methodText({ name, summary, input }: ClientMethod): string {
  const title = pascalCase(name);
  const fields = input.kind === 'object' ? input.fields : [];
  const isOptional = fields.every(({ isRequired }) => !isRequired);
  return `  /** ${commentOf(summary)} */
  ${camelCase(name)}(input: ${title}Input${isOptional ? ' = {}' : ''}, options?: CallOptions): Promise<${title}Output> {
    return this.#call('${camelCase(name)}', input, options);
  }`;
}
