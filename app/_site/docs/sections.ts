import { commonPath, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { groups } from '../reference/calls';
import { listOperatorGuides } from '../site-config';
import { type DocsEntry, type DocsSection, docsSections } from './navigation';

/** The sidebar of this service. */
export async function listDocsSections({ guides }: SiteConfig): Promise<readonly DocsSection[]> {
  const { guides: operatorGuides, incidents } = await listOperatorGuides();
  return docsSections({ guides, operatorGuides, incidents, reference: referenceEntries() });
}

function referenceEntries(): DocsEntry[] {
  const entries = groups.map(({ path, title, calls }) => ({
    path,
    title,
    entries: calls.map((call) => ({ path: referencePath(call), title: call.title })),
  }));
  return [{ path: commonPath, title: 'Common to all calls' }, ...entries];
}
