import type { Components } from './components';

export interface OperationItem {
  readonly parameters: readonly object[];
}

/** The operations of a document by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, OperationItem>>>>;

/** Writes parameters that several operations have once, as components such as `query.cursor`. */
export function shareParameters(paths: Paths, components: Components): Paths {
  const counts = new Map<string, number>();
  const count = (parameter: object) => {
    const text = JSON.stringify(parameter);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return parameter;
  };
  mapParameters(paths, count);
  const owners = new Map<string, string>();
  return mapParameters(paths, (parameter) => {
    if (!('name' in parameter && 'in' in parameter)) return parameter;
    const text = JSON.stringify(parameter);
    const name = `${parameter.in}.${parameter.name}`;
    // Two different parameters with one name are rare. The second stays where it is.
    const isShared = (counts.get(text) ?? 0) > 1 && (owners.get(name) ?? text) === text;
    if (!isShared) return parameter;
    owners.set(name, text);
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
