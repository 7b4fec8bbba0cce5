import { about } from '@/lib/catalog/about';
import { type Category, categories, categoryGroups } from '@/lib/catalog/categories';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { withNotice } from '@/lib/catalog/test-service';
import { termsUrl } from '@/lib/discovery/legal';
import type { Site } from '@/lib/discovery/site-config';
import { Components } from './components';
import { inlineUnshared } from './inline-unshared';
import type { Detail } from './json-schema';
import { freeOperation, paidOperation } from './operations';
import { offersOf } from './payment-info';

/** The operations that a document describes. */
export interface Contents {
  readonly operations: readonly Operation[];
  readonly freeOperations: readonly FreeOperation[];
}

/**
 * The OpenAPI 3.1 document of a part of the catalog, made only from the catalog and the settings. A rail that no offered
 * network can pay is left out.
 */
export function openApiDocument(
  { operations, freeOperations }: Contents,
  site: Site,
  detail: Detail = 'full',
) {
  const components = new Components(detail);
  const paths: Record<string, Record<string, OperationItem>> = {};
  const used = new Set<Category>();
  const add = (path: string, method: string, category: Category, item: OperationItem) => {
    used.add(category);
    paths[path] = { ...paths[path], [method.toLowerCase()]: item };
  };
  for (const operation of operations) {
    for (const [rail, path] of Object.entries(operation.paths) as [RailName, string][]) {
      if (rail !== 'account' && offersOf(rail, site).length === 0) continue;
      const item = paidOperation(operation, rail, components, site, detail);
      add(path, operation.method, operation.category, item);
    }
  }
  for (const operation of freeOperations) {
    const item = freeOperation(operation, components, site, detail);
    add(operation.path, operation.method, operation.category, item);
  }
  const tags = [...used];
  const document = {
    openapi: '3.1.0',
    info: {
      title: about.name,
      version: about.version,
      ...(detail === 'full'
        ? { summary: about.summary, description: withNotice(site.isTest, about.description) }
        : { description: withNotice(site.isTest, about.summary) }),
      ...operatorInfo(site),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      'x-guidance': about.guidance,
      ...(site.isTest ? { 'x-testnet': true } : {}),
    },
    'x-service-info': {
      categories: [...new Set(tags.flatMap((tag) => categories[tag].directory ?? []))],
      docs: {
        homepage: `${site.publicUrl}/`,
        apiReference: `${site.publicUrl}/docs/reference`,
        llms: `${site.publicUrl}/llms.txt`,
      },
    },
    servers: [{ url: site.publicUrl }],
    tags: tags.map((name) => ({
      name: categories[name].title,
      description: categories[name].description,
    })),
    ...(detail === 'full' ? { 'x-tagGroups': tagGroups(tags) } : {}),
    paths: detail === 'brief' ? shareParameters(paths, components) : paths,
    components: components.toObject(),
  };
  return detail === 'brief' ? inlineUnshared(document) : document;
}

/** Tags in groups, an extension that other vendors' reference pages show. */
function tagGroups(tags: readonly Category[]) {
  const names = [...new Set(tags.map((tag) => categories[tag].group))];
  return names.map((group) => ({
    name: categoryGroups[group],
    tags: tags.filter((tag) => categories[tag].group === group).map((tag) => categories[tag].title),
  }));
}

/** Who runs the service, as far as the settings say it. */
function operatorInfo({ publicUrl, operator }: Site) {
  const termsOfService = termsUrl(publicUrl, operator);
  return {
    ...(termsOfService === null ? {} : { termsOfService }),
    contact: {
      name: operator.name ?? about.name,
      url: operator.name === null ? publicUrl : `${publicUrl}/contact`,
      ...(operator.email === null ? {} : { email: operator.email }),
    },
  };
}

interface OperationItem {
  readonly parameters: readonly object[];
}

/** The operations of a document by path and method. */
type Paths = Readonly<Record<string, Readonly<Record<string, OperationItem>>>>;

/** Writes parameters that several operations have once, as components such as `query.cursor`. */
function shareParameters(paths: Paths, components: Components): Paths {
  const counts = new Map<string, number>();
  const count = (parameter: object) => {
    const text = JSON.stringify(parameter);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return parameter;
  };
  mapParameters(paths, count);
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  return mapParameters(paths, (parameter) => {
    if (!('name' in parameter && 'in' in parameter)) return parameter;
    const text = JSON.stringify(parameter);
    if ((counts.get(text) ?? 0) < 2) return parameter;
    // Parameters of one name may differ: uploads and forms have IDs.
    const usual = `${parameter.in}.${parameter.name}`;
    const known = [...owners].filter(([, owner]) => owner === usual);
    const name = names.get(text) ?? (known.length === 0 ? usual : `${usual}.${known.length + 1}`);
    names.set(text, name);
    owners.set(text, usual);
    return components.use('parameters', name, () => parameter);
  });
}

function mapParameters(paths: Paths, change: (parameter: object) => object): Paths {
  const entries = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, item]) => [
        method,
        { ...item, parameters: item.parameters.map(change) },
      ]),
    ),
  ]);
  return Object.fromEntries(entries);
}
