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
        Browsers open a URL with <code>GET</code>. This one supports <code>{allow}</code>. Nothing was
        charged.
      </p>
      {findPath(pathname)?.endpoints.map((called) =>
        called.kind === 'other' ? null : <Called key={called.method} called={called} />,
      )}
      <p>
        <a href="/docs">Documentation</a>, <a href="/docs/reference">reference of all calls</a>.
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

function Called({ called: { method, path, operation } }: { called: PaidEndpoint | FreeEndpoint }): ReactNode {
  return (
    <section>
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
        language="bash"
        text={curl(operation, path, { publicUrl: currentApp().settings.PUBLIC_URL })}
      />
      <p>
        <a href={referencePath(operation)}>Fields, response and errors of this call</a>
      </p>
    </section>
  );
}
