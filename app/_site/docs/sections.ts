import { commonPath, parts, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { titleOfGroup } from '../reference/index-pages';
import { listOperatorGuides } from '../site-config';
import { type DocsEntry, type DocsSection, docsSections } from './navigation';

/** The sidebar of this service. */
export async function listDocsSections({ guides }: SiteConfig): Promise<readonly DocsSection[]> {
  const { guides: operatorGuides, incidents } = await listOperatorGuides();
  return docsSections({ guides, operatorGuides, incidents, reference: referenceEntries() });
}

/** The groups of the reference with their calls. */
function referenceEntries(): DocsEntry[] {
  const groups = Object.entries(parts).flatMap(([name, contents]) => {
    const calls = [...contents.operations, ...contents.freeOperations];
    // `upload` is one call of `files`.
    if (name === 'upload' || calls.length === 0) return [];
    const entries = calls.map((call) => ({ path: referencePath(call), title: call.title }));
    return [{ path: `/docs/reference/${name}`, title: titleOfGroup(contents), entries }];
  });
  return [{ path: commonPath, title: 'Common to all calls' }, ...groups];
}
