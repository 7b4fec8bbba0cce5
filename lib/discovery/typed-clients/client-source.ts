import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What stands in the source of a client for the service's own URL. */
const placeholder = 'https://api.example.com';

const sources = new Map<string, string>();

/** The source of a client: a program without the calls of the catalog, read once. */
function sourceOf(file: 'tuppence.mts' | 'tuppence.py'): string {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(path.join(process.cwd(), 'lib/discovery/typed-clients', file), 'utf8');
  sources.set(file, source);
  return source;
}

/**
 * A client with all its calls: each comment such as `// {{types}}` in its source, with the indent before it, gives way to the
 * part of that name.
 */
export function fillClient(
  file: 'tuppence.mts' | 'tuppence.py',
  publicUrl: string,
  parts: Readonly<Record<string, string>>,
): string {
  return sourceOf(file)
    .replaceAll(placeholder, () => publicUrl)
    .replaceAll(/ *(?:\/\/|#) \{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}
