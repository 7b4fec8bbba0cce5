import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { type FreeEndpoint, findPath, type PaidEndpoint } from '@/lib/catalog/endpoints';
import { referencePath } from '@/lib/discovery/contents';
import { curl } from '@/lib/discovery/samples';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import { pageAssets } from '@/lib/http/page-assets';
import { pageGuards } from '@/lib/http/page-route';
import { requestIdOf } from '@/lib/http/respond';
import { Frame } from './frame';
import { priceOf } from './price';
import { Sample } from './sample';

/** A page for a person who opened the URL of a call in a browser: what the call does and where it is described. */
export async function explainMethods(
  request: ApiRequest,
  allow: string,
  status: 404 | 405,
): Promise<ApiResponse> {
  const { pathname } = new URL(request.url);
  const title = 'This URL is for programs';
  const html = await renderPage(
    <Frame
      assets={await pageAssets('site')}
      publicUrl={currentApp().settings.PUBLIC_URL}
      path="/docs/reference"
      title={title}
      description="The call at this URL and its documentation."
    >
      <h1>{title}</h1>
      <p>
        Browsers open URLs with <code>GET</code>. This one accepts <code>{callable(allow)}</code>. Nothing was
        charged.
      </p>
      {findPath(pathname)?.endpoints.map((called) =>
        called.kind === 'other' ? null : <Called key={called.method} called={called} />,
      )}
      <p>
        Or go to the <a href="/docs">documentation</a> or the <a href="/docs/reference">reference</a>.
      </p>
    </Frame>,
  );
  return {
    status,
    headers: {
      ...pageGuards("'self'"),
      Allow: allow,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Request-Id': requestIdOf(request),
      Vary: 'Accept',
      'X-Robots-Tag': 'noindex',
    },
    body: html,
  };
}

/** The allowed methods without those that every URL has. */
function callable(allow: string): string {
  const called = allow.split(', ').filter((method) => method !== 'OPTIONS' && method !== 'HEAD');
  return called.length === 0 ? allow : called.join(', ');
}

function Called({ called: { method, path, operation } }: { called: PaidEndpoint | FreeEndpoint }): ReactNode {
  return (
    <section className="called">
      <h2>
        <code>
          {method} {path}
        </code>
      </h2>
      <p>
        {operation.summary} Price: {priceOf(operation)}.
      </p>
      <Sample
        label={`Call of ${operation.id} with curl`}
        title="Shell"
        language="bash"
        text={curl(operation, path, { publicUrl: currentApp().settings.PUBLIC_URL })}
      />
      <p>
        <a className="button" href={referencePath(operation)}>
          Read about this call
        </a>
      </p>
    </section>
  );
}
