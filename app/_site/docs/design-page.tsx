import type { ReactNode } from 'react';
import type { SiteConfig } from '@/lib/discovery/site-config';
import type { Page } from '../page';

/** The tokens of `app/_page/tokens.css`, without the two dashes, in the groups in which they are chosen. */
export const designTokens = {
  sizes: [
    'text-note',
    'text-small',
    'text-body',
    'text-large',
    'text-h3',
    'text-h2',
    'text-h1',
    'text-display',
  ],
  spaces: ['space-1', 'space-2', 'space-3', 'space-4', 'space-5', 'space-6', 'space-7', 'space-8'],
  gaps: ['gap-part', 'gap-thing', 'gap-group', 'gap-section'],
  colors: [
    ...['paper', 'raised', 'ink', 'quiet', 'line', 'field', 'field-line'],
    ...['accent', 'accent-pressed', 'accent-paper', 'on-accent', 'focus', 'mark'],
    ...['good', 'good-paper', 'panel', 'on-panel', 'wrong', 'wrong-paper', 'bad'],
    ...['warn', 'warn-paper', 'warn-ink', 'warn-line'],
  ],
} as const;

/** The page of the design system, for developers: null unless the service runs on a local host. */
export function designPage({ publicUrl }: Pick<SiteConfig, 'publicUrl'>): Page | null {
  const { hostname } = new URL(publicUrl);
  if (hostname !== 'localhost' && hostname !== '127.0.0.1') return null;
  return {
    title: 'Design system',
    description: 'Sizes, spaces, colors and controls of all pages, in the mode of your browser.',
    body: () => <DesignSystem />,
    headings: [
      { id: 'text', title: 'Text', level: 2 },
      { id: 'space', title: 'Space', level: 2 },
      { id: 'colors', title: 'Colors', level: 2 },
      { id: 'controls', title: 'Controls', level: 2 },
      { id: 'messages', title: 'Messages', level: 2 },
    ],
  };
}

function DesignSystem(): ReactNode {
  return (
    <article>
      <h1>Design system</h1>
      <p>
        Everything that pages share is in <code>app/_page</code>. The style of a page says only how wide
        things are and where they stand. This page is served on local hosts only.
      </p>
      <h2 id="text">Text</h2>
      {designTokens.sizes.map((name) => (
        <Row key={name} name={name}>
          <svg height="64" width="100%" role="img" aria-label={`A sample of ${name}`}>
            <text y="48" fill="currentColor" fontSize={`var(--${name})`}>
              Paid by the call
            </text>
          </svg>
        </Row>
      ))}
      <h2 id="space">Space</h2>
      <p>Parts of one thing stand closer than things, and things closer than groups of them.</p>
      {[...designTokens.spaces, ...designTokens.gaps].map((name) => (
        <Row key={name} name={name}>
          <svg height="16" width="100%" role="img" aria-label={`The length of ${name}`}>
            <rect height="16" width={`var(--${name})`} fill="var(--accent)" />
          </svg>
        </Row>
      ))}
      <h2 id="colors">Colors</h2>
      <p>Copper is for links, primary buttons, what is chosen, and figures to look at first.</p>
      {designTokens.colors.map((name) => (
        <Row key={name} name={name}>
          <svg height="32" width="100%" role="img" aria-label={`The color ${name}`}>
            <rect height="32" width="100%" fill={`var(--${name})`} stroke="var(--line)" />
          </svg>
        </Row>
      ))}
      <h2 id="controls">Controls</h2>
      <Controls />
      <h2 id="messages">Messages</h2>
      <div className="notice">
        <h3>A notice</h3>
        <p>What has to be known first.</p>
      </div>
      <div className="notice good">
        <h3>A success</h3>
        <p>What happened.</p>
      </div>
      <div className="notice wrong">
        <h3>A problem</h3>
        <p>Boxed, so that nobody overlooks it.</p>
      </div>
      <div className="panel">
        <p>What has been done, first on its page</p>
      </div>
    </article>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div className="design-row">
      <code>--{name}</code>
      {children}
    </div>
  );
}

function Controls(): ReactNode {
  return (
    <>
      <p>A page has one primary button. What is rarely needed is words alone.</p>
      <p className="actions">
        <button type="button">Primary</button>
        <button type="button" className="secondary">
          Secondary
        </button>
        <button type="button" className="tertiary">
          Tertiary
        </button>
        <button type="button" className="danger">
          Danger
        </button>
        <button type="button" disabled>
          Disabled
        </button>
      </p>
      <p className="actions">
        <button type="button" className="chip" aria-pressed="true">
          Chosen
        </button>
        <button type="button" className="chip" aria-pressed="false">
          Not chosen
        </button>
      </p>
      <div className="field">
        <label htmlFor="design-field">A field</label>
        <p className="hint">A hint stands before the field.</p>
        <input id="design-field" />
      </div>
      <div className="field wrong">
        <label htmlFor="design-wrong">A field with a problem</label>
        <p className="error">Enter a name</p>
        <input id="design-wrong" aria-invalid="true" />
      </div>
      <fieldset className="field">
        <legend>A choice</legend>
        <div className="option">
          <input type="radio" id="design-one" name="design-choice" defaultChecked />
          <label htmlFor="design-one">One</label>
        </div>
        <div className="option">
          <input type="radio" id="design-other" name="design-choice" />
          <label htmlFor="design-other">Other</label>
        </div>
        <div className="option">
          <input type="checkbox" id="design-box" defaultChecked />
          <label htmlFor="design-box">A box</label>
        </div>
      </fieldset>
    </>
  );
}
