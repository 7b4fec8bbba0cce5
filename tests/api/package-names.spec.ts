import { adapterChecksumsPath, adapterFiles } from '@/lib/catalog/adapter';
import { documents } from '@/lib/discovery/documents';
import { listFiles, read } from '../repo/sources';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/**
 * Whoever registers a package name can run code on the machines of everyone who was told to install it. So whatever tells
 * somebody to install or run a package must name one that is locked here, or an address.
 */

const { packages } = JSON.parse(read('package-lock.json')) as { packages: object };
const locked = new Set(Object.keys(packages).map((place) => place.slice('node_modules/'.length)));
/** Third-party packages that guides name and that are not installed here. */
const known = new Set(['@modelcontextprotocol/inspector']);

/** Commands that run one package, followed by its arguments, and commands that install several. */
const running = /\b(?:npx|npm (?:exec|x|init|create)|pnpm dlx|yarn dlx|bunx)((?: +[^\s`'"|&;<>]+)+)/g;
const installing = /\b(?:npm (?:i|install|add)|pnpm add|yarn add|bun add)((?: +[^\s`'"|&;<>]+)+)/g;
/** The configuration of a program that starts another: `"command": "npx", "args": [...]`, in JSON and TOML. */
const configuring = /["']?command["']?\s*[:=]\s*["']npx["'],?\s*["']?args["']?\s*[:=]\s*\[([^\]]*)\]/g;

const words = (text = '') =>
  text
    .trim()
    .split(/[\s,]+/)
    .map((word) => word.replaceAll(/["']/g, ''));
const isOption = (word: string) => word.startsWith('-');

/** Everything in a text that a package manager would treat as a package. */
function packagesIn(text: string): string[] {
  const first = (list: readonly string[]) =>
    list.filter((word) => word !== '' && !isOption(word)).slice(0, 1);
  return [
    ...[...text.matchAll(running)].flatMap(([, rest]) => first(words(rest))),
    ...[...text.matchAll(configuring)].flatMap(([, rest]) => first(words(rest))),
    ...[...text.matchAll(installing)].flatMap(([, rest]) => words(rest).filter((word) => !isOption(word))),
  ];
}

function isTrusted(specifier: string): boolean {
  // A file that the reader has. No registry is asked for it.
  if (specifier.startsWith('./')) return true;
  if (/^https?:\/\//.test(specifier)) {
    const { pathname } = new URL(specifier);
    return Object.values(adapterFiles).some((file) => file.path === pathname);
  }
  const name = specifier.replace(/(?<=.)@[^@/]*$/, '');
  return locked.has(name) || known.has(name);
}

/** The texts in a JSON document, as its readers see them. Any other document is a single text. */
function textsIn(document: string): readonly string[] {
  if (!/^[[{]/.test(document)) return [document];
  const texts: string[] = [];
  JSON.parse(document, (_, value) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return [document.replaceAll(/\\n/g, '\n'), ...texts];
}

const untrusted = (text: string) => packagesIn(text).filter((specifier) => !isTrusted(specifier));

test('the check finds every package that a package manager would request from a registry', () => {
  for (const text of [
    'Run `npx -y tuppence-mcp`.',
    'npx tuppence-mcp@0.0.16 --help',
    '{ "command": "npx", "args": ["-y", "tuppence-mcp"] }',
    'command = "npx"\nargs = ["-y", "tuppence-mcp"]',
    '{"command":"npx","args":["-y","tuppence-mcp@0.0.16"]}',
    'npm i -g tuppence',
    'npm install viem tuppence',
    'npm exec -- tuppence',
    'npm install ./tuppence-paywall-0.0.16.tgz tuppence-paywall',
    'npx -y https://example.com/adapter/tuppence-mcp-0.0.1.tgz',
  ])
    expect(untrusted(text), text).toHaveLength(1);
  expect(untrusted('npm install @x402/fetch@2.27.0 viem')).toEqual([]);
});

test('no guide or source file tells anybody to install a package that is not locked here', () => {
  const files = listFiles(
    /^(README|CONTRIBUTING|CHANGELOG)\.md$|^(docs|packages|deploy)\/.*\.(md|json|yaml)$/,
  );
  expect(files).toEqual(expect.arrayContaining(['docs/mcp.md', 'packages/client/README.md']));
  for (const file of files) expect([file, untrusted(read(file))]).toEqual([file, []]);
});

test('no document and no page does', async () => {
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(stack().apiUrl + path, { headers })).text();
  const sitemap = await get('/sitemap.xml');
  const pages = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
  expect(pages).toContain('/docs/mcp');
  for (const path of Object.keys(documents)) {
    const texts = textsIn(await get(path));
    expect([path, texts.flatMap(untrusted)]).toEqual([path, []]);
  }
  for (const path of pages) {
    const html = await get(path, { Accept: 'text/html' });
    const inTicks = html.replaceAll(/<\/?code[^>]*>/g, '`');
    const text = inTicks
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'");
    expect([path, untrusted(text)]).toEqual([path, []]);
  }
});

test('every address of the adapter in a guide is that of this version', () => {
  const addresses = [...Object.values(adapterFiles).map((file) => file.path), adapterChecksumsPath];
  for (const file of listFiles(/^(README\.md|(docs|mcp)\/.*\.md)$/)) {
    const named = [...read(file).matchAll(/\/adapter\/tuppence[\w.-]*?\.(?:tgz|cjs|sha256)/g)].map(
      ([one]) => one,
    );
    expect([file, named.filter((one) => !addresses.includes(one))]).toEqual([file, []]);
  }
  const guides = read('docs/mcp.md') + read('docs/client.md');
  for (const address of addresses) expect(guides).toContain(address);
});
