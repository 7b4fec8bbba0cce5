import type { ReactNode } from 'react';
import type { SiteConfig } from '@/lib/discovery/site-config';

/** Links for each kind of reader. */
export function WhereToStart({ site }: { site: SiteConfig }): ReactNode {
  const hasGuide = (wanted: string) => site.guides.some(({ name }) => name === wanted);
  return (
    <section className="band" aria-labelledby="start">
      <h2 id="start">Where to start</h2>
      <ul className="starts">
        <Start title="Agents">
          <a href="/llms.txt">llms.txt</a>
          <a href="/docs/mcp">MCP server</a>
          <a href="/openapi-agents.json">OpenAPI for agents</a>
        </Start>
        <Start title="Developers">
          {hasGuide('getting-started') ? <a href="/docs/getting-started">Getting started</a> : null}
          <a href="/docs/reference">Reference</a>
          <a href="/docs/typed-clients">TypeScript and Python clients</a>
        </Start>
        <Start title="Operators">
          <a href="/docs/deploying">Deploying</a>
          <a href="/docs/metrics">Metrics</a>
          <a href="/docs/incidents">Incidents</a>
        </Start>
      </ul>
    </section>
  );
}

function Start({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}
