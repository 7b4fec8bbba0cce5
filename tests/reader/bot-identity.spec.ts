import { createHash, createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createApp } from '@/lib/app';
import { ed25519KeyOf } from '@/lib/platform/ed25519';
import { openBotIdentity } from '@/lib/services/research/reader/bot-identity';
import { signMessage } from '@/lib/services/research/reader/message-signature';
import { askApp } from '../support/ask-app';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { startSite } from './pages-server';
import { asking, dataOf, readerOf } from './reading';

/**
 * The signatures by which sites recognize the page reader, checked by a verifier written from RFC 9421, with the keys of the directory
 * alone.
 */

const newest = Buffer.alloc(32, 1).toString('base64');
const older = Buffer.alloc(32, 2).toString('base64');
const platform = testPlatform({ WEB_BOT_AUTH: 'true', DATA_KEY: `${newest},${older}` });

interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly kid: string;
  readonly x: string;
  readonly use: string;
}

/** The signatures of a message by label: what each covers, its parameters, and whether the key that it names made it. */
function readSignatures(
  headers: Readonly<Record<string, string>>,
  keys: readonly Jwk[],
  componentOf: (identifier: string) => string,
) {
  const inputs = [...(headers['signature-input'] ?? '').matchAll(/([a-z0-9]+)=(\(([^)]*)\)([^,]*))/g)];
  return inputs.map(([, label = '', input = '', covered = '', rest = '']) => {
    const identifiers = covered.split(' ');
    const lines = identifiers.map((identifier) => `${identifier}: ${componentOf(identifier)}`);
    const base = [...lines, `"@signature-params": ${input}`].join('\n');
    const parameters = Object.fromEntries(
      rest
        .split(';')
        .slice(1)
        .map((one) => [one.slice(0, one.indexOf('=')), JSON.parse(one.slice(one.indexOf('=') + 1))]),
    );
    const [, signature = ''] = new RegExp(`${label}=:([^:]+):`).exec(headers.signature ?? '') ?? [];
    const jwk = keys.find(({ kid }) => kid === parameters.keyid);
    const isValid =
      jwk !== undefined &&
      verify(
        null,
        Buffer.from(base),
        createPublicKey({ key: { ...jwk }, format: 'jwk' }),
        Buffer.from(signature, 'base64'),
      );
    return { label, identifiers, parameters, isValid };
  });
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function directoryOf() {
  const directory = openBotIdentity(platform)?.directory();
  if (!directory) throw new Error('the reader has no identity');
  const { keys }: { keys: Jwk[] } = JSON.parse(directory.body);
  return { ...directory, headers: lowerCase(directory.headers), keys };
}

test('the directory is served with its signatures if the setting is on, and is not there otherwise', async () => {
  const path = '/.well-known/http-message-signatures-directory';
  for (const isOn of [true, false]) {
    const { settings, log } = testPlatform({ WEB_BOT_AUTH: String(isOn) });
    const app = createApp({ settings, log });
    const { status, headers, body } = await askApp(app, new Request(settings.PUBLIC_URL + path));
    await app.close();
    if (!isOn) {
      expect([status, JSON.parse(String(body)).error.code]).toEqual([404, 'not_found']);
      continue;
    }
    expect([status, headers['Content-Type']]).toEqual([
      200,
      'application/http-message-signatures-directory+json',
    ]);
    expect(headers['Access-Control-Allow-Origin']).toBe('*');
    const { keys } = JSON.parse(String(body));
    const sent = lowerCase(headers);
    const componentOf = (one: string) =>
      one.includes(';req') ? 'api.example.com' : (sent['content-digest'] ?? '');
    expect(readSignatures(sent, keys, componentOf).map(({ isValid }) => isValid)).toEqual([true]);
  }
});

test('the signed directory of the draft is made exactly as it shows', () => {
  // draft-meunier-webbotauth-httpsig-protocol-02, "Signed Directory Response", with the key of RFC 9421, appendix B.1.4.
  const key = ed25519KeyOf(Buffer.from('n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU', 'base64url'));
  const { input, signature } = signMessage(
    key,
    [
      ['"@authority";req', 'signature-agent.test'],
      ['"content-digest"', 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:'],
    ],
    {
      created: 1_735_689_600,
      expires: 4_889_289_600,
      keyid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
      tag: 'http-message-signatures-directory',
    },
  );
  expect(input).toMatch(
    /^\("@authority";req "content-digest"\);created=1735689600;expires=4889289600;keyid="poqk/,
  );
  expect(signature).toBe(
    ':l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:',
  );
});

test('the directory has a key for each DATA_KEY, named by its thumbprint, and each has signed it for this host', () => {
  const { keys, body, headers } = directoryOf();
  expect(keys).toHaveLength(2);
  for (const { kty, crv, kid, x, use } of keys) {
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
    expect({ kty, crv, kid, use }).toEqual({ kty: 'OKP', crv: 'Ed25519', kid: thumbprint, use: 'sig' });
  }
  const digest = createHash('sha256').update(body).digest('base64');
  expect(headers['content-digest']).toBe(`sha-256=:${digest}:`);
  const componentOf = (identifier: string) =>
    identifier === '"@authority";req' ? 'api.example.com' : (headers[identifier.replaceAll('"', '')] ?? '');
  const signatures = readSignatures(headers, keys, componentOf);
  expect(
    signatures.map(({ parameters, ...rest }) => ({ ...rest, tag: parameters.tag, keyid: parameters.keyid })),
  ).toEqual(
    keys.map(({ kid }, at) => ({
      label: `sig${at}`,
      identifiers: ['"@authority";req', '"content-digest"'],
      isValid: true,
      tag: 'http-message-signatures-directory',
      keyid: kid,
    })),
  );
  const elsewhere = readSignatures(headers, keys, (one) =>
    componentOf(one).replace('api.example.com', 'other.example'),
  );
  expect(elsewhere.map(({ isValid }) => isValid)).toEqual([false, false]);
});

test('requests for a page are signed for its host, also after a redirect, and nothing else about them changes', async () => {
  const got: [url: string, headers: IncomingHttpHeaders][] = [];
  const site = await startSite((path) => ({
    answer(request, response) {
      got.push([path, request.headers]);
      if (path === '/moved')
        response.writeHead(302, { Location: `http://other.test:${site.port}/page` }).end();
      else if (path === '/page') {
        response.writeHead(200, { 'Content-Type': 'text/html' });
        response.end(
          '<title>P</title><p>A page with enough words to be read.<script src="/script.js"></script><iframe src="/frame">',
        );
      } else
        response
          .writeHead(200, { 'Content-Type': path === '/frame' ? 'text/html' : 'text/javascript' })
          .end();
    },
  }));
  const start = `http://site.test:${site.port}/moved`;
  const headersOf = async (identity: ReturnType<typeof openBotIdentity>) => {
    got.length = 0;
    const reader = readerOf([site.port], 1, {}, 100, identity);
    try {
      expect(dataOf(await reader.read(someone, asking(start))).markdown).toContain('enough words');
    } finally {
      await reader.close();
    }
    return Object.fromEntries(got.filter(([path]) => path !== '/favicon.ico'));
  };
  const unsigned = await headersOf(null);
  const signed = await headersOf(openBotIdentity(platform));
  await site.close();
  expect(Object.keys(signed).sort()).toEqual(['/frame', '/moved', '/page', '/script.js']);
  const { keys } = directoryOf();
  for (const [path, headers] of Object.entries(signed)) {
    const names = ['signature', 'signature-agent', 'signature-input'];
    const others = Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
    expect([path, others]).toEqual([path, unsigned[path]]);
    const isDocument = ['/moved', '/page'].includes(path);
    expect([path, ...names.map((name) => name in headers)]).toEqual([
      path,
      isDocument,
      isDocument,
      isDocument,
    ]);
    if (!isDocument) continue;
    expect(headers['signature-agent']).toBe('sig="https://api.example.com"');
    const components: Readonly<Record<string, string>> = {
      '"@authority"': String(headers.host),
      '"signature-agent";key="sig"': '"https://api.example.com"',
    };
    const [signature, ...more] = readSignatures(
      headers as Record<string, string>,
      keys,
      (one) => components[one] ?? '',
    );
    expect(more).toEqual([]);
    expect(signature).toMatchObject({
      label: 'sig',
      identifiers: Object.keys(components),
      isValid: true,
      parameters: { tag: 'web-bot-auth', keyid: keys[0]?.kid },
    });
    const { created, expires } = signature?.parameters ?? {};
    expect(Math.abs(created - Date.now() / 1_000)).toBeLessThan(60);
    expect(expires - created).toBe(60);
  }
});
