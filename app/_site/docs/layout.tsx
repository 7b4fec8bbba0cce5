import type { ReactNode } from 'react';
import { type DocsEntry, type DocsSection, holds, neighbors, sectionOf, trailTo } from './navigation';
import { SearchForm } from './search-form';

/** The layout of the documentation: sidebar, breadcrumb, contents of the page, previous and next. It needs no script. */

/** A heading of a page, for its contents. */
export interface Heading {
  readonly id: string;
  readonly title: string;
  /** 2 for `h2` */
  readonly level: number;
}

interface Place {
  readonly sections: readonly DocsSection[];
  /** The path of the page. */
  readonly path: string;
}

/** The sidebar. On narrow screens it is collapsed. */
export function DocsSidebar({ sections, path }: Place): ReactNode {
  return (
    <div className="docs-sidebar">
      <SearchForm label="Documentation" />
      <details className="docs-menu">
        <summary>All pages</summary>
        <nav aria-label="Documentation">
          {sections.map(({ title, entries }) => (
            <section key={title}>
              <h2>{title}</h2>
              <EntryList entries={entries} path={path} />
            </section>
          ))}
        </nav>
      </details>
    </div>
  );
}

interface EntriesProps {
  readonly entries: readonly DocsEntry[];
  readonly path: string;
  readonly className?: string;
}

function EntryList({ entries, path, className }: EntriesProps): ReactNode {
  return (
    <ul className={className}>
      {entries.map((entry) => (
        <li key={entry.path}>
          <a href={entry.path} aria-current={entry.path === path ? 'page' : undefined}>
            {entry.title}
          </a>
          {entry.entries && holds(entry, path) ? (
            <EntryList entries={entry.entries} path={path} className="below" />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

interface DocsPageProps extends Place {
  /** The headings of the page; a page with fewer than two has no table of contents. */
  readonly headings: readonly Heading[];
  /** The address of the page as Markdown, if there is one. */
  readonly markdownPath?: string;
  /** Where its file can be edited, if the operator says where. */
  readonly editUrl?: string;
  readonly children: ReactNode;
}

/** The page beside the sidebar. */
export function DocsPage(props: DocsPageProps): ReactNode {
  const { sections, path, headings, markdownPath, editUrl, children } = props;
  const shown = headings.filter(({ level }) => level <= 3);
  return (
    <div className={shown.length > 1 ? 'docs-page with-contents' : 'docs-page'}>
      <Breadcrumb sections={sections} path={path} />
      {shown.length > 1 ? <Contents headings={shown} /> : null}
      <div className="docs-text">{children}</div>
      {markdownPath || editUrl ? (
        <p className="docs-source">
          {markdownPath ? <a href={markdownPath}>This page as Markdown</a> : null}{' '}
          {editUrl ? <a href={editUrl}>Edit this page</a> : null}
        </p>
      ) : null}
      <PreviousNext sections={sections} path={path} />
    </div>
  );
}

function Breadcrumb({ sections, path }: Place): ReactNode {
  const section = sectionOf(sections, path);
  const above = trailTo(sections, path).slice(0, -1);
  if (path === '/docs') return null;
  return (
    <nav className="docs-breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href="/docs">Docs</a>
        </li>
        {section ? <li>{section.title}</li> : null}
        {above.map((entry) => (
          <li key={entry.path}>
            <a href={entry.path}>{entry.title}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The table of contents, collapsed where it does not fit beside the text. */
function Contents({ headings }: { headings: readonly Heading[] }): ReactNode {
  return (
    <details className="docs-contents">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {headings.map(({ id, title, level }) => (
            <li key={id} className={level > 2 ? 'inner' : undefined}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

function PreviousNext(place: Place): ReactNode {
  const { previous, next } = neighbors(place.sections, place.path);
  if (!previous && !next) return null;
  return (
    <nav className="docs-neighbors" aria-label="Previous and next">
      {previous ? (
        <a href={previous.path} rel="prev">
          <span>Previous</span> {previous.title}
        </a>
      ) : null}
      {next ? (
        <a href={next.path} rel="next" className="next">
          <span>Next</span> {next.title}
        </a>
      ) : null}
    </nav>
  );
}
