import { about } from '@/lib/catalog/about';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { isEvmOffer } from '@/lib/payments/network-offers';
import { offersOf } from '../openapi/payment-info';
import { isPaid } from '../remote-tools';
import type { SiteConfig } from '../site-config';
import { fillClient } from './client-source';
import { type ClientMethod, clientMethods, pascalCase } from './methods';
import type { Field, Shape } from './shape';

export const pythonPath = '/clients/tuppence.py';

/** The typed client for Python, in one file that needs only the standard library. */
export function pythonClient(site: SiteConfig): string {
  const methods = pythonMethods(site);
  const types = new PythonTypes();
  for (const { name, input, output } of methods) {
    types.declare(`${pascalCase(name)}Input`, input);
    types.declare(`${pascalCase(name)}Output`, output);
  }
  return fillClient('tuppence.py', site.publicUrl, {
    about: `"""A typed client for ${about.name} ${about.version}, made from its catalog.

It needs Python 3.9 or later and no other package. ${site.publicUrl}/docs/typed-clients says how to use it.
"""`,
    tokens: entriesOf(tokensOf(site)),
    routes: entriesOf(Object.fromEntries(methods.map((method) => [method.name, routeOf(method)]))),
    types: types.text(),
    methods: methods.map(methodText).join('\n\n'),
  });
}

/** The entries of a dictionary, one after another. */
const entriesOf = (value: object): string => literal(value, '').split('\n').slice(1, -1).join('\n');

/** All methods except those that a wallet signs in for. These need a second kind of signature, which official clients make. */
export function pythonMethods(site: Pick<SiteConfig, 'isAvailable'>): ClientMethod[] {
  return clientMethods(site).filter(({ operation }) => !needsSignIn(operation));
}

const needsSignIn = (operation: Operation | FreeOperation): boolean =>
  'access' in operation && operation.access === 'wallet';

function tokensOf(site: SiteConfig) {
  const offers = offersOf('x402', site).filter(isEvmOffer);
  return Object.fromEntries(
    offers.map(({ network, asset }) => [
      network.caip2,
      {
        chain_id: network.chainId,
        asset,
        name: network.usdcDomain.name,
        version: network.usdcDomain.version,
      },
    ]),
  );
}

function routeOf({ operation, places, takesBody }: ClientMethod) {
  const paths = isPaid(operation)
    ? { x402: operation.paths.x402, account: operation.paths.account }
    : { free: operation.path };
  return { method: operation.method, paths, places: Object.fromEntries(places), takes_body: takesBody };
}

/** A value as a literal of Python. */
export function literal(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const inner = `${indent}    `;
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    if (entries.length === 0) return '{}';
    const lines = entries.map(
      ([name, member]) => `${inner}${JSON.stringify(name)}: ${literal(member, inner)},`,
    );
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  // Escapes of JSON strings are escapes of Python strings too.
  return JSON.stringify(value);
}

/** The classes for objects. An object in an object has a class of its own, named after its field. */
class PythonTypes {
  readonly #classes: string[] = [];

  declare(name: string, shape: Shape): void {
    if (shape.kind === 'object' && isClass(shape)) this.#addClass(name, shape.fields);
    else this.#classes.push(`${name} = ${this.#typeOf(shape, name)}`);
  }

  text(): string {
    return this.#classes.join('\n\n\n');
  }

  #addClass(name: string, fields: readonly Field[]): void {
    const required = fields.filter(({ isRequired }) => isRequired);
    const optional = fields.filter(({ isRequired }) => !isRequired);
    const body = (some: readonly Field[]) =>
      some.map((field) => this.#fieldText(name, field)).join('\n') || '    pass';
    // This declares the classes of nested objects first.
    const [requiredText, optionalText] = [body(required), body(optional)];
    if (optional.length === 0) this.#classes.push(`class ${name}(TypedDict):\n${requiredText}`);
    else if (required.length === 0)
      this.#classes.push(`class ${name}(TypedDict, total=False):\n${optionalText}`);
    else
      this.#classes.push(
        `class _${name}(TypedDict):\n${requiredText}\n\n\nclass ${name}(_${name}, total=False):\n${optionalText}`,
      );
  }

  #fieldText(owner: string, { name, shape, description }: Field): string {
    const comment = description ? `    # ${description.replaceAll(/\s+/g, ' ')}\n` : '';
    return `${comment}    ${name}: ${this.#typeOf(shape, `${owner}${pascalCase(name)}`)}`;
  }

  #typeOf(shape: Shape, name: string): string {
    switch (shape.kind) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'any':
        return 'Any';
      case 'literal':
        return `Literal[${shape.values.map((value) => literal(value, '')).join(', ')}]`;
      case 'list':
        return `List[${this.#typeOf(shape.items, `${name}Item`)}]`;
      case 'map':
        return `Dict[str, ${this.#typeOf(shape.values, `${name}Value`)}]`;
      case 'union':
        return `Union[${shape.members.map((member, index) => this.#typeOf(member, `${name}${index || ''}`)).join(', ')}]`;
      case 'object':
        if (!isClass(shape)) return 'Dict[str, Any]';
        this.#addClass(name, shape.fields);
        return name;
    }
  }
}

/** Words that cannot be the names of fields of a class. */
const reserved =
  /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;

/** Whether an object gets a class. One that may have unlisted fields is a dictionary. */
const isClass = ({ fields, isOpen }: Extract<Shape, { kind: 'object' }>): boolean =>
  !isOpen &&
  fields.length > 0 &&
  fields.every(({ name }) => /^[A-Za-z_]\w*$/.test(name) && !reserved.test(name));

function methodText({ name, summary, input }: ClientMethod): string {
  const title = pascalCase(name);
  const isOptional = input.kind === 'object' && input.fields.every(({ isRequired }) => !isRequired);
  const parameter = isOptional ? `input: Optional[${title}Input] = None` : `input: ${title}Input`;
  return `    def ${name}(self, ${parameter}, idempotency_key: Optional[str] = None) -> ${title}Output:
        """${summary.replaceAll('\\', '\\\\').replaceAll('"', "'")}"""
        return cast(${JSON.stringify(`${title}Output`)}, self._call(${JSON.stringify(name)}, input or {}, idempotency_key))`;
}
