import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { curl } from './samples';
import type { Site } from './site-config';
import { methodOf } from './typed-clients/methods';
import { pythonProgram, typescriptProgram } from './typed-clients/programs';

/** A call in one language. */
export interface CodeSample {
  readonly name: 'curl' | 'typescript' | 'python';
  readonly label: string;
  /** The language for highlighting. */
  readonly lang: string;
  readonly source: string;
}

/** The call of a path in every language that has a sample of it. Our clients choose the path by how they pay. */
export function codeSamples(
  call: Operation | FreeOperation,
  path: string,
  { publicUrl }: Pick<Site, 'publicUrl'>,
): readonly CodeSample[] {
  const method = methodOf(call.id);
  const samples = [
    { name: 'curl', label: 'curl', lang: 'bash', source: curl(call, path, { publicUrl }) },
    {
      name: 'typescript',
      label: 'TypeScript',
      lang: 'typescript',
      source: method && typescriptProgram(method, { publicUrl }).trimEnd(),
    },
    {
      name: 'python',
      label: 'Python',
      lang: 'python',
      source: method && pythonProgram(method, { publicUrl })?.trimEnd(),
    },
  ] as const;
  return samples.filter((one): one is typeof one & CodeSample => typeof one.source === 'string');
}
