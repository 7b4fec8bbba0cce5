import path from 'node:path';
import { expect, test } from '@playwright/test';
import { freeOperations } from '@/lib/catalog';
import { listFiles } from '../repo/sources';
import { fromAnywhere, openAccount } from '../support/accounts';
import { buyForm } from '../support/forms';
import { stack } from '../support/stack';
import { hostileBodies, hostileTexts, marker } from './hostile';
import { sampled } from './sample';

/** Every path that the service answers, with its parameters in brackets. */
const routes = listFiles(/^app\/.*\/(route|page)\.tsx?$/).map(
  (file) =>
    path.posix
      .dirname(file)
      .replace(/^app/, '')
      .replaceAll(/\/\([^)]+\)/g, '') || '/',
);

const loneSurrogate = /\p{Surrogate}/u;

/** Texts that can be part of a URL. A text that makes the URL too long says nothing about the route. */
const inUrls = hostileTexts.filter((text) => !loneSurrogate.test(text) && text !== '' && text.length < 2_000);

/** Texts that a page must not repeat unescaped, because they would become markup. */
const markup = hostileTexts.filter((text) => /[<"]/.test(text));

/** What is wrong with an answer; null if nothing is. An answer that is not an error may repeat the input, as text. */
async function faultOf(answer: Response): Promise<string | null> {
  const text = await answer.text();
  if (answer.status >= 500) return `${answer.status} ${text.slice(0, 200)}`;
  if (answer.headers.has('set-cookie') && (answer.headers.get('set-cookie') ?? '').includes(marker))
    return 'a cookie was set';
  const isPage = (answer.headers.get('content-type') ?? '').startsWith('text/html');
  if (markup.some((raw) => isPage && text.includes(raw))) return 'markup from outside';
  // A challenge names the URL that it is for.
  const mayRepeat = isPage || answer.status < 400 || answer.status === 402;
  return !mayRepeat && text.includes(marker) ? `repeated: ${text.slice(0, 300)}` : null;
}

/** Parameter names that some routes use. */
const names = ['id', 'q', 'limit', 'cursor', 'network', 'from', 'to', 'wait', 'format', 'amount', 'token'];

/** Queries with the text as the value of each of these names, and as a name itself. */
const queries = (text: string) =>
  [...names.map((name) => [name, text]), [text, 'x']].map((pair) => new URLSearchParams([pair]).toString());

async function send(
  method: string,
  url: string,
  body: Buffer | null = null,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(stack().apiUrl + url, {
    method,
    headers: { ...fromAnywhere(), ...headers },
    redirect: 'manual',
    body: body as Uint8Array<ArrayBuffer> | null,
  });
}

/** A path with a text in place of each parameter in brackets or braces. */
const filled = (route: string, text: string) =>
  route.replaceAll(/\[[^\]]+\]|\{[^}]+\}/g, () => encodeURIComponent(text));

for (const route of routes) {
  test(`${route}: no text in its path or query, and no body, makes the server fail or say it again`, async () => {
    const requests: readonly (readonly [method: string, url: string, body?: Buffer])[] = [
      ...inUrls.map((text) => ['GET', filled(route, text)] as const),
      ...inUrls.flatMap((text) =>
        queries(text).map((one) => ['GET', `${filled(route, 'x')}?${one}`] as const),
      ),
      ...inUrls.map((text) => ['DELETE', filled(route, text)] as const),
      ...hostileBodies.map(([, body]) => ['POST', filled(route, 'x'), body] as const),
    ];
    const chosen = sampled(requests);
    const faults: string[] = [];
    for (const [method, url, body] of chosen) {
      const fault = await faultOf(await send(method, url, body));
      if (fault !== null) faults.push(`${method} ${url.slice(0, 120)}: ${fault}`);
    }
    test.info().annotations.push({ type: 'requests without a payment', description: String(chosen.length) });
    expect(faults).toEqual([]);
  });
}

for (const { id, path: route, method, access } of freeOperations.filter((one) => one.access !== 'wallet')) {
  test(`${id}: no text in its path or query makes the server fail with a valid token, or says it again`, async () => {
    const token = access === 'account' ? (await openAccount()).token : (await buyForm()).readToken;
    const headers = { Authorization: `Bearer ${token}` };
    const faults: string[] = [];
    for (const text of sampled(inUrls)) {
      for (const url of [
        filled(route, text),
        ...queries(text).map((one) => `${filled(route, 'x')}?${one}`),
      ]) {
        // Skipped, because a call such as DELETE with a valid token would close the account.
        if (method !== 'GET' && !route.includes('{')) continue;
        const fault = await faultOf(await send(method, url, null, headers));
        if (fault !== null) faults.push(`${method} ${url.slice(0, 120)}: ${fault}`);
      }
    }
    expect(faults).toEqual([]);
  });
}
