import type { ReactNode } from 'react';
import { type DocsArea, type DocsEntry, holds, neighbors, sectionOf, trailTo } from './navigation';

/** The layout of the documentation: sidebar, breadcrumb, contents of the page, previous and next. It needs no script. */

/** A heading of a page, for its contents. */
export interface Heading {
  readonly id: string;
  readonly title: string;
  /** 2 for `h2` */
  readonly level: number;
}

interface Place {
  readonly area: DocsArea;
  /** The path of the page. */
  readonly path: string;
}

/** The sidebar, with the group of the page open. On narrow screens all of it is collapsed. */
export function DocsSidebar({ area, path }: Place): ReactNode {
  const current = sectionOf(area.sections, path) ?? area.sections[0];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="docs-sidebar" aria-label="Sidebar" tabIndex={0}>
      <details className="docs-menu">
        <summary>All pages</summary>
        <nav aria-label="Documentation">
          <a href={area.path} aria-current={area.path === path ? 'page' : undefined}>
            Overview
          </a>
          {area.sections.map((section) => (
            <details key={section.title} open={section === current}>
              <summary>{section.title}</summary>
              <EntryList entries={section.entries} path={path} />
            </details>
          ))}
          <a className="other" href={area.other.path}>
            {area.other.title}
          </a>
        </nav>
      </details>
    </section>
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
  /** Whether its contents stand above it, folded, also where there is room beside it. */
  readonly isWide?: boolean | undefined;
  /** The address of the page as Markdown, if there is one. */
  readonly markdownPath?: string;
  /** Where its file can be edited, if the operator says where. */
  readonly editUrl?: string;
  readonly children: ReactNode;
}

/** The page beside the sidebar. */
export function DocsPage(props: DocsPageProps): ReactNode {
  const { area, path, headings, isWide = false, markdownPath, editUrl, children } = props;
  const kind = isWide ? ' wide' : hasContents(headings) ? ' with-contents' : '';
  return (
    <div className={`docs-page${kind}`}>
      <div className="docs-top">
        <Breadcrumb area={area} path={path} />
        <Contents headings={headings} />
        {/* The script shows the button, whose room is kept. */}
        {markdownPath ? (
          <button type="button" className="tertiary docs-copy" data-copies={markdownPath}>
            Copy page
          </button>
        ) : null}
      </div>
      <div className="docs-text">{children}</div>
      {markdownPath || editUrl ? (
        <p className="docs-source">
          {markdownPath ? <a href={markdownPath}>View as Markdown</a> : null}
          {editUrl ? <a href={editUrl}>Edit this page</a> : null}
        </p>
      ) : null}
      <PreviousNext area={area} path={path} />
    </div>
  );
}

function Breadcrumb({ area, path }: Place): ReactNode {
  const section = sectionOf(area.sections, path);
  const above = trailTo(area.sections, path).slice(0, -1);
  if (path === area.path) return null;
  return (
    <nav className="docs-breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={area.path}>{area.title}</a>
        </li>
        {section && section.path !== path ? (
          <li>{section.path ? <a href={section.path}>{section.title}</a> : section.title}</li>
        ) : null}
        {above.map((entry) => (
          <li key={entry.path}>
            <a href={entry.path}>{entry.title}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const listed = (headings: readonly Heading[]) => headings.filter(({ level }) => level <= 3);

/** Whether a page has so many headings that it lists them. */
function hasContents(headings: readonly Heading[]): boolean {
  return listed(headings).length > 1;
}

/** The table of contents, collapsed where it does not fit beside the text. */
function Contents({ headings }: { headings: readonly Heading[] }): ReactNode {
  if (!hasContents(headings)) return null;
  return (
    <details className="docs-contents">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {listed(headings).map(({ id, title, level }) => (
            <li key={id} className={level > 2 ? 'inner' : undefined}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

function PreviousNext({ area, path }: Place): ReactNode {
  const { previous, next } = neighbors(area, path);
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
