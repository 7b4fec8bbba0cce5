import { commonPath, parts, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import type { Page } from '../page';
import { priceOf } from '../price';
import { firstSentence } from '../words';
import { CallPage } from './call-page';
import { allCalls, groups } from './calls';
import { commonPage } from './common-page';
import { descriptionOfGroup, GroupPage, ReferenceIndex, titleOfGroup } from './index-pages';
import { callListMarkdown, callMarkdown } from './markdown';

/** The pages under /docs/reference, made from the catalog (docs/decisions/next.md). */

const start = '/docs/reference';

/** The reference page of a path; null if there is none. */
export function referencePage(path: string, site: SiteConfig): Page | null {
  if (path === start) {
    const description = 'Every call with its fields, price, response and errors.';
    return {
      title: 'Reference',
      description,
      body: () => <ReferenceIndex />,
      headings: groups.map(({ name, title }) => ({ id: name, title, level: 2 })),
      markdown: () => callListMarkdown('Reference', allCalls, site),
    };
  }
  if (path === commonPath) return commonPage;
  const call = allCalls.find((one) => referencePath(one) === path);
  if (call) {
    const description = `${firstSentence(call.summary)} ${priceOf(call)}.`;
    return {
      title: call.title,
      description,
      body: () => <CallPage call={call} site={site} />,
      markdown: () => callMarkdown(call, site),
    };
  }
  return groupPage(path, site);
}

function groupPage(path: string, site: SiteConfig): Page | null {
  const part = path.slice(`${start}/`.length);
  const contents = Object.hasOwn(parts, part) ? parts[part] : undefined;
  if (!contents) return null;
  const title = titleOfGroup(contents);
  const calls = [...contents.operations, ...contents.freeOperations];
  const markdown = () => callListMarkdown(title, calls, site);
  const description = `${descriptionOfGroup(contents)} Calls, prices and fields.`;
  return {
    title: `${title}: reference`,
    description,
    body: () => <GroupPage part={part} contents={contents} />,
    markdown,
  };
}
