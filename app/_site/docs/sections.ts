import { commonPath, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { groups } from '../reference/calls';
import { listOperatorGuides } from '../site-config';
import { callersArea, type DocsArea, type DocsEntry, holds, operatorsArea } from './navigation';

/** The area of this service's documentation that has a page. */
export async function areaOf(path: string, { guides }: SiteConfig): Promise<DocsArea> {
  const { guides: operatorGuides, incidents, decisions } = await listOperatorGuides();
  const pages = { guides, operatorGuides, incidents, decisions, reference: referenceEntries() };
  const ofOperators = operatorsArea(pages);
  const entries = ofOperators.sections.flatMap((section) => section.entries);
  return path === ofOperators.path || entries.some((entry) => holds(entry, path))
    ? ofOperators
    : callersArea(pages);
}

function referenceEntries(): DocsEntry[] {
  const entries = groups.map(({ path, title, calls }) => ({
    path,
    title,
    entries: calls.map((call) => ({ path: referencePath(call), title: call.title })),
  }));
  return [{ path: commonPath, title: 'Common to all calls' }, ...entries];
}
