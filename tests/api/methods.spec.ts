import { request as httpRequest } from 'node:http';
import { freeOperations, operations } from '@/lib/catalog';
import { documents } from '@/lib/discovery/documents';
import { expectError } from '../support/expectations';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const at = (path: string) => stack().apiUrl + path.replaceAll(/\{\w+\}/g, 'someId');

/** The methods that each path accepts. */
function takenMethods(): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  const priced = operations
    .filter(({ method }) => method === 'GET')
    .flatMap(({ paths }) => Object.values(paths));
  const take = (path: string, ...methods: string[]) =>
    taken.set(path, new Set([...(taken.get(path) ?? []), ...methods]));
  for (const { method, paths } of operations) for (const path of Object.values(paths)) take(path, method);
  for (const { method, path } of freeOperations) take(path, method);
  for (const path of Object.keys(documents)) take(path, 'GET');
  for (const path of ['/', '/docs', '/docs/errors', '/docs/reference/files', '/health/ready'])
    take(path, 'GET');
  for (const path of ['/deposit/{id}', '/f/{id}/thanks', '/internal/cron']) take(path, 'GET');
  if (!isStartedByNext) take('/favicon.svg', 'GET');
  for (const path of ['/f/{id}', '/f/{id}/report']) take(path, 'GET', 'POST');
  take('/deposit/{id}/solana', 'POST');
  take('/try/solana', 'POST');
  // A HEAD on a priced path would be paid for like a GET and return nothing, so priced paths do not accept it.
  for (const [path, methods] of taken) if (methods.has('GET') && !priced.includes(path)) methods.add('HEAD');
  return taken;
}

const allowOf = (methods: Iterable<string>) => [...methods, 'OPTIONS'].sort().join(', ');

test(
  'every path responds to an unsupported method with 405, Allow and the error body',
  fullOnly,
  async () => {
    let tried = 0;
    for (const [path, taken] of takenMethods()) {
      for (const method of everyMethod.filter((one) => !taken.has(one))) {
        if (path === '/v1/render/pdf' && (method === 'GET' || method === 'HEAD')) continue;
        const answer = await fetch(at(path), { method });
        const { status, headers } = answer;
        expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allowOf(taken)]);
        if (method !== 'HEAD') await expectError(answer, 'method_not_allowed');
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(200);
  },
);

test('OPTIONS lists the methods of every path', async () => {
  for (const [path, taken] of takenMethods()) {
    const answer = await fetch(at(path), { method: 'OPTIONS' });
    expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 204, allowOf(taken)]);
  }
});

test('GET and HEAD of the renderer get 404 with the error body', async () => {
  await expectError(await fetch(at('/v1/render/pdf')), 'not_found');
  expect((await fetch(at('/v1/render/pdf'), { method: 'HEAD' })).status).toBe(404);
});

test('methods that no route has get 405 with the methods that the path has', async () => {
  test.skip(isStartedByNext, byTheFramework);
  for (const [method, path, allow] of [
    ['TRACE', '/health', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/v1/uploads', 'OPTIONS, POST'],
    ['PURGE', '/llms.txt', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await send(method, at(path));
    expect([path, answer.status, answer.allow]).toEqual([path, 405, allow]);
    expect(JSON.parse(answer.body).error.code).toBe('method_not_allowed');
  }
});

test('a person who opens the URL of a call in a browser gets a page that explains it', async () => {
  for (const path of [
    '/v1/uploads',
    '/v1/mpp/forms',
    '/v1/render/pdf',
    '/v1/uploads/up_1/renew',
    '/v1/tools/check',
  ]) {
    const answer = await fetch(at(path), {
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect([path, answer.status]).toEqual([path, path === '/v1/render/pdf' ? 404 : 405]);
    expect(answer.headers.get('allow')).toBe('OPTIONS, POST');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).toContain('This URL is for programs');
    const [, reference = ''] = /href="(\/docs\/reference\/[a-z]+\/[^"]+)"/.exec(page) ?? [];
    const described = await fetch(at(reference), { headers: { Accept: 'text/html' } });
    expect(described.status, path).toBe(200);
    expect(await described.text(), path).toMatch(
      new RegExp(`<code[^>]*>(<b [^>]*>POST</b> <!-- -->)?${path.replace('up_1', '[{]id[}]')}</code>`),
    );
  }
});

/** Sends methods that fetch cannot send. */
function send(method: string, url: string): Promise<{ status: number; allow?: string; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, allow: answer.headers.allow, body }));
    });
    request.on('error', reject);
    request.end();
  });
}
