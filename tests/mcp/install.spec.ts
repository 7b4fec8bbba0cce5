import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { adapterChecksumsPath, adapterFiles, npxArguments } from '@/lib/catalog/adapter';
import { basicTools } from '@/lib/catalog/adapter-tools';
import { stack } from '../support/stack';
import { expect } from '../support/without-browser';
import { type Machine, plainEnv, test } from './rig';

/** The adapter as people install it: from the service, with the commands from the guide. */

const get = (file: string, init?: RequestInit) => fetch(stack().apiUrl + file, init);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (file: string) => new Uint8Array(await (await get(file)).arrayBuffer());
const toolNames = basicTools.map(({ name }) => name);

/** Nothing listens there, so any request to a registry fails. */
const noRegistry = 'http://127.0.0.1:1/';

/** Starts a command as an assistant would, in an empty folder. */
async function startCommand(machine: Machine, command: string, args: readonly string[], folder: string) {
  const cwd = path.join(machine.home, folder);
  await mkdir(cwd, { recursive: true });
  const npm = {
    npm_config_cache: path.join(machine.home, 'npm'),
    npm_config_registry: noRegistry,
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };
  const env = { ...plainEnv, ...npm, ...machine.env };
  const transport = new StdioClientTransport({ command, args: [...args], cwd, env, stderr: 'pipe' });
  let output = '';
  transport.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`${command} did not start: ${output}`, { cause: error });
  });
  return client;
}

test('npx installs it from the address of the service, without a registry, and fetches it once', async ({
  machine,
}) => {
  const args = npxArguments(machine.proxy.apiUrl);
  const fetches = () => machine.proxy.requests.filter((request) => request.includes('.tgz'));
  const start = async (folder: string) => {
    const client = await startCommand(machine, 'npx', args, folder);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
    await client.close();
    return fetches().length;
  };
  // How often npm requests it the first time is up to npm.
  const fetchedAtFirst = await start('first');
  expect(fetches()).toContain(`GET ${adapterFiles.package.path}`);
  expect(await start('second')).toBe(fetchedAtFirst);
  const [installation = ''] = await readdir(path.join(machine.home, 'npm/_npx'));
  const installed = await readdir(path.join(machine.home, 'npm/_npx', installation, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['tuppence-mcp']);
});

test('the one file runs on node alone', async ({ machine }) => {
  const name = path.basename(adapterFiles.program.path);
  await mkdir(path.join(machine.home, 'alone'));
  await writeFile(path.join(machine.home, 'alone', name), await bytesOf(adapterFiles.program.path));
  const client = await startCommand(machine, process.execPath, [name], 'alone');
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(toolNames);
  await client.close();
});

test('the files call the service that they came from, unless a setting names another', async ({
  machine,
}) => {
  const { TUPPENCE_API_URL: _, ...env } = machine.env;
  const depositUrlOf = async (command: string, args: string[], folder: string) => {
    const client = await startCommand({ ...machine, env }, command, args, folder);
    const { structuredContent } = await client.callTool({ name: 'topup_link', arguments: {} });
    await client.close();
    return (structuredContent as { depositUrl: string }).depositUrl;
  };
  const file = path.join(machine.home, 'adapter.cjs');
  await writeFile(file, await bytesOf(adapterFiles.program.path));
  const ours = `${stack().apiUrl}/deposit/`;
  expect(await depositUrlOf(process.execPath, [file], 'alone')).toContain(ours);
  expect(await depositUrlOf('npx', npxArguments(stack().apiUrl), 'installed')).toContain(ours);
});

test('documents and the list for sha256sum state the SHA-256 of both files', async ({ machine }) => {
  const digests = Object.fromEntries(
    await Promise.all(
      Object.values(adapterFiles).map(async ({ path: file }) => [file, sha256(await bytesOf(file))]),
    ),
  );
  const [client, server, llms, checksums] = await Promise.all(
    ['/.well-known/mcp.json', '/.well-known/mcp-server.json', '/llms.txt', adapterChecksumsPath].map(
      async (file) => (await get(file)).text(),
    ),
  );
  expect(JSON.parse(server ?? '').packages[0]).toMatchObject({
    identifier: stack().apiUrl + adapterFiles.package.path,
    fileSha256: digests[adapterFiles.package.path],
  });
  for (const [file, digest] of Object.entries(digests)) {
    expect(JSON.parse(client ?? '').files).toContainEqual(
      expect.objectContaining({ url: stack().apiUrl + file, sha256: digest }),
    );
    expect(llms).toContain(`(${stack().apiUrl}${file})`);
    expect(llms).toContain(digest);
    expect(checksums).toContain(`${digest}  ${path.basename(file)}\n`);
    await writeFile(path.join(machine.home, path.basename(file)), await bytesOf(file));
  }
  const check = spawn('sha256sum', ['--check'], { cwd: machine.home });
  check.stdin.end(checksums);
  expect(await text(check.stdout)).toBe(
    Object.keys(digests)
      .map((file) => `${path.basename(file)}: OK\n`)
      .join(''),
  );
});

test('its files may be kept for good, are revalidated by ETag, and can be read from any origin', async () => {
  for (const { path: file, mediaType } of Object.values(adapterFiles)) {
    const answer = await get(file, { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect(answer.status, file).toBe(200);
    const { headers } = answer;
    expect(headers.get('content-type')).toBe(mediaType);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // An archive is compressed already.
    expect(headers.get('content-encoding')).toBe(mediaType.startsWith('text/') ? 'br' : null);
    const etag = headers.get('etag') ?? '';
    const again = await get(file, { headers: { 'Accept-Encoding': 'br, gzip', 'If-None-Match': etag } });
    expect([file, again.status, again.headers.get('etag')]).toEqual([file, 304, etag]);
    const head = await get(file, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect(Number(head.headers.get('content-length'))).toBe((await bytesOf(file)).length);
    expect((await get(file, { method: 'POST' })).status).toBe(405);
  }
});

test('an address with another version, or outside its folder, has nothing', async () => {
  for (const file of [
    '/adapter/tuppence-mcp-0.0.1.tgz',
    '/adapter/tuppence-mcp.tgz',
    '/adapter/%2e%2e%2fserver.js',
    '/adapter/..%2fpackage.json',
    '/adapter/',
  ])
    expect([file, (await get(file)).status]).toEqual([file, 404]);
});
