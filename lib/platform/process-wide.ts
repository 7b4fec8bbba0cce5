/**
 * One value per process. The server bundle and the framework's route bundles each carry their own copy of every
 * module, so module state would give each its own database pool and, worse, its own sender for one signing key.
 */
export function processWide<T>(name: string, create: () => T): T {
  const registry = globalThis as typeof globalThis & { [registryKey]?: Map<string, unknown> };
  registry[registryKey] ??= new Map();
  const values = registry[registryKey];
  // The name is written at one place per type, so what is stored under it is a T.
  if (!values.has(name)) values.set(name, create());
  return values.get(name) as T;
}

const registryKey = Symbol.for('tuppence.process-wide');
