import { withNotice } from '@/lib/catalog/test-service';
import type { ApiError } from '@/lib/errors/api-error';

/** A style in the page is allowed, and nothing else. */
export const refusalPagePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

const style =
  ':root { color-scheme: light dark } body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }';

/** Whether a browser shows the response to a person. Programs that name no type get JSON, as everywhere. */
export function isForPeople(accept: string | null | undefined): boolean {
  return /(^|[\s,])text\/html\b/i.test(accept ?? '');
}

/** Tells a person who has opened a link why there is no file. It contains nothing that strangers have written. */
export function refusalPage(error: ApiError, requestId: string, isTest: boolean): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No file</title><style>${style}</style></head>
<body><main><h1>No file</h1><p>${escaped(withNotice(isTest, error.message))}</p>
<p><small>${escaped(error.code)}, request ${escaped(requestId)}</small></p></main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
