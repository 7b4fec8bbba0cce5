import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { account, airports, forms, free, uploads } from '@/lib/catalog';
import { portOf, serve } from '@/local/http-server';
import { sample } from '../support/tiers';
import { test as base, expect } from '../support/without-browser';

/** What the commands of the client send, against a service that answers every call with the example of its operation. */

interface Service {
  /** Runs a command from an account. */
  run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  readonly requests: string[];
}

const id = uploads.renew.example.params.id;
const paidCallId = free.paidCall.example.params.id;
const formId = forms.responses.example.params.id;

const answers: Readonly<Record<string, unknown>> = {
  [`POST /v1/account/uploads/${id}/renew`]: uploads.renew.example.output,
  [`DELETE /v1/account/uploads/${id}`]: account.deleteUpload.example.output,
  [`GET /v1/forms/${formId}/responses?cursor=r0&limit=100&wait=0`]: forms.responses.example.output,
  'POST /v1/account/airports/search': airports.search.example.output,
  'GET /v1/account': account.get.example.output,
  [`GET /v1/paid-calls/${paidCallId}`]: free.paidCall.example.output,
};

let client: Promise<Uint8Array> | undefined;

/** The client as one file. */
async function bundleClient(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: ['packages/client/command-line/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { defaultService: '"default-service=http://localhost:1"' },
    logLevel: 'error',
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

const test = base.extend<{ service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads which fixtures are used from the pattern.
  async service({}, use) {
    const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-client-'));
    const outfile = path.join(folder, 'tuppence.cjs');
    client ??= bundleClient();
    await writeFile(outfile, await client);
    const requests: string[] = [];
    const server = await serve(async (req, res) => {
      const asked = `${req.method} ${req.url}`;
      requests.push(`${asked} ${req.headers.authorization ?? 'no token'}`);
      res.writeHead(answers[asked] ? 200 : 404, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify(answers[asked] ?? {}));
    }, 0);
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'production' as const,
      XDG_CONFIG_HOME: folder,
      TUPPENCE_API_URL: `http://127.0.0.1:${portOf(server)}`,
      TUPPENCE_ACCOUNT_TOKEN: 'tpt_of_the_account',
    };
    await use({
      requests,
      // In a thread, which costs a fraction of a process and ends like one.
      async run(...args) {
        const thread = new Worker(outfile, { argv: args, env, execArgv: [], stdout: true, stderr: true });
        const code = once(thread, 'exit').then(([status]) => Number(status));
        const [stdout, stderr] = await Promise.all([text(thread.stdout), text(thread.stderr)]);
        return { code: await code, stdout, stderr };
      },
    });
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  },
});

const ofAccount = 'Bearer tpt_of_the_account';

const cases: readonly {
  readonly args: readonly string[];
  readonly sent: string;
  readonly printed: string;
}[] = [
  {
    args: ['renew', id],
    sent: `POST /v1/account/uploads/${id}/renew ${ofAccount}`,
    printed: `${id}\nexpires ${uploads.renew.example.output.expiresAt}\n`,
  },
  {
    args: ['delete', id],
    sent: `DELETE /v1/account/uploads/${id} ${ofAccount}`,
    printed: `${id} is deleted.\n`,
  },
  {
    args: ['responses', formId, '--read-token', 'frt_secret'],
    sent: `GET /v1/forms/${formId}/responses?cursor=r0&limit=100&wait=0 Bearer frt_secret`,
    printed: `next cursor ${forms.responses.example.output.nextCursor}\n`,
  },
  { args: ['airports', 'faro'], sent: `POST /v1/account/airports/search ${ofAccount}`, printed: ', ' },
  { args: ['balance'], sent: `GET /v1/account ${ofAccount}`, printed: ' USDC\nadd money at http' },
  { args: ['call', paidCallId], sent: `GET /v1/paid-calls/${paidCallId} no token`, printed: paidCallId },
];

for (const { args, sent, printed } of cases)
  test(
    `${args[0]} makes one call, with the token that it needs, and prints the answer`,
    sample(args[0] === 'renew'),
    async ({ service }) => {
      const { code, stdout, stderr } = await service.run(...args);
      expect([code, stderr]).toEqual([0, '']);
      expect(service.requests).toEqual([sent]);
      expect(stdout).toContain(printed);
    },
  );

test('an argument too many is refused before anything is sent', async ({ service }) => {
  const { code, stderr } = await service.run('balance', 'extra');
  expect(code).toBe(2);
  expect(stderr).toContain('arguments: must be none, and 1 were given');
  expect(service.requests).toEqual([]);
});

test('a file that does not exist is named as such, and nothing is said of an upload', async ({ service }) => {
  for (const command of ['form', 'pdf']) {
    const { code, stderr } = await service.run(command, 'missing.json');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'The file cannot be read. Nothing was charged. FILE: must name a file that exists.',
    );
  }
});
