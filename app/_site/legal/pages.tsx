import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { legalPaths } from '@/lib/discovery/legal';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { Guide } from '../guide';
import type { Page } from '../page';
import { legalFacts } from './facts';
import { ReportLinkForm } from './report-link-form';
import { fillSlots } from './slots';

/** The pages about terms, privacy, contact and abuse: texts in `docs/legal` with slots. */
const pages: Readonly<Record<(typeof legalPaths)[number], Pick<Page, 'title' | 'description'>>> = {
  '/terms': {
    title: 'Terms of service',
    description: 'Prices, payments, refunds, and what is not allowed.',
  },
  '/privacy': {
    title: 'Privacy',
    description: 'What is stored, for how long, and who receives it.',
  },
  '/contact': {
    title: 'Contact',
    description: 'Who runs this service, and how to get help or report a vulnerability.',
  },
  '/abuse': {
    title: 'Report abuse',
    description: 'How to report a form or a file, and what happens then.',
  },
};

/** The page of a path; null if it is none of these. */
export async function legalPage(requested: string, site: SiteConfig): Promise<Page | null> {
  const known = legalPaths.find((one) => one === requested);
  if (!known) return null;
  const text = await readFile(path.join(process.cwd(), 'docs/legal', `${known}.md`), 'utf8');
  const facts = legalFacts(site);
  const markdown = () =>
    fillSlots(text, {
      ...facts,
      linkForm: `Open \`${site.publicUrl}/report?link=LINK\` with the link of the form or file, URL-encoded.`,
    });
  const body = () => {
    const [before = '', after = ''] = fillSlots(text, { ...facts, linkForm: formMark }).split(formMark);
    return (
      <div className="legal">
        <Guide name={known.slice(1)} text={before} />
        {after === '' ? null : (
          <>
            <ReportLinkForm />
            <Guide name={known.slice(1)} text={after} />
          </>
        )}
      </div>
    );
  };
  return { ...pages[known], body, markdown };
}

/** Where the form stands in the text. No setting has this character. */
const formMark = '\u0000';
