import type { ApiError } from '@/lib/catalog/errors/api-error';
import { withNotice } from '@/lib/catalog/test-service';
import type { Settings } from '@/lib/platform/settings';

/** Allows styles in the page, and nothing else. */
export const refusalPagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

const style =
  ':root { color-scheme: light dark } body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem } a { color: inherit } footer { margin-top: 3rem }';

/** Whether a browser shows the response to a person. Programs that name no type get JSON, as everywhere. */
export function isForPeople(accept: string | null | undefined): boolean {
  return /(^|[\s,])text\/html\b/i.test(accept ?? '');
}

/** Tells a person who has opened a link why there is no file. It contains nothing that strangers have written. */
export function refusalPage(
  error: ApiError,
  requestId: string,
  { PUBLIC_URL, NETWORKS }: Pick<Settings, 'PUBLIC_URL' | 'NETWORKS'>,
): string {
  const message = withNotice(NETWORKS === 'test', error.message);
  const link = (path: string, words: string) => `<a href="${escaped(PUBLIC_URL + path)}">${words}</a>`;
  const links = [link('/terms', 'Terms'), link('/privacy', 'Privacy'), link('/contact', 'Contact')].join(
    ' · ',
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No file</title><style>${style}</style></head>
<body><main><h1>No file</h1><p>${escaped(message)}</p>
<p><small>${escaped(error.code)}, request ${escaped(requestId)}</small></p></main><footer><p><small>${links}</small></p></footer></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
