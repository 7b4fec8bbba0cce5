import { Challenge } from 'mppx';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { topUpGas } from '@/local/evm/funding';
import { findFreePort } from '@/local/free-port';
import { balanceOf } from '../support/balances';
import { challengeOf, payingFetch } from '../support/buyer';
import { exactOnly, startAtomic } from '../support/expectations';
import { mppClient } from '../support/mpp-buyer';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { newEvmPayer } from '../support/payers';
import { type Program, startProgram } from '../support/program';
import { evmNetworkNames, network, networkNames, stack } from '../support/stack';
import { expect, test } from '../support/without-browser';
import { Copy } from './adding-an-operation/copy';
import {
  addWordCount,
  catalogFile,
  replaced,
  serviceFile,
  servicesFile,
} from './adding-an-operation/word-count';

/** Follows the instructions of CONTRIBUTING.md for adding a paid operation, in a copy of the repository. */

let copy: Copy;
let written: string[];

test.beforeAll(async () => {
  copy = await Copy.make();
  written = await addWordCount(copy);
});
test.afterAll(() => copy.end());

const text = 'Every paid call is either delivered or accounted for.';
const counted = { words: 9, characters: text.length };

test('an operation on two rails takes three files', () => {
  expect(written.sort()).toEqual([catalogFile, serviceFile, servicesFile].sort());
});

test.describe('the copy', () => {
  let database: NewDatabase;
  let server: Program;
  let apiUrl: string;

  test.beforeAll(async () => {
    const signerKey = generatePrivateKey();
    const port = await findFreePort();
    apiUrl = `http://localhost:${port}`;
    [database] = await Promise.all([
      migratedDatabase(),
      ...evmNetworkNames.map((name) =>
        topUpGas(network(name).rpcUrl, privateKeyToAddress(signerKey), 10n ** 18n),
      ),
    ]);
    const env = {
      ...stack().serverEnv,
      DATABASE_URL: database.url,
      SETTLEMENT_KEYS_EVM: signerKey,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: apiUrl,
      FILES_URL: `http://127.0.0.1:${port}`,
      TMPDIR: copy.temporary,
      NODE_OPTIONS: '--import tsx',
    };
    const isUp = (output: string) => output.includes('"msg":"listening"');
    const script = 'tests/repo/adding-an-operation/serve.ts';
    server = await startProgram(script, env, isUp, { timeoutMs: 60_000, cwd: copy.root });
  });
  test.afterAll(async () => {
    await server?.stop();
    await database?.drop();
  });

  const request = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text }),
  };
  /** The same on each call, so that the second is a retry. */
  const keyed = { ...request, headers: { ...request.headers, 'Idempotency-Key': 'counted-once' } };

  test('asks for 0.001 USDC on both rails', async () => {
    const { accepts } = await challengeOf(`${apiUrl}/v1/tools/word-count`);
    expect(exactOnly(accepts).map(({ amount }) => amount)).toEqual(networkNames.map(() => '1000'));
    const unpaid = await fetch(`${apiUrl}/v1/mpp/tools/word-count`, request);
    expect(unpaid.status).toBe(402);
    const amounts = Challenge.fromResponseList(unpaid).map((challenge) => challenge.request.amount);
    expect(amounts).toEqual(['1000', '1000', '1000']);
  });

  test('serves the official clients over x402 and MPP, and charges nothing for a retry', async () => {
    const [overX402, overMpp] = await Promise.all([newEvmPayer(), newEvmPayer()]);
    const buyers = [
      [overX402, payingFetch(overX402, 'base'), '/v1/tools/word-count'],
      [overMpp, mppClient(overMpp, 'base').fetch, '/v1/mpp/tools/word-count'],
    ] as const;
    for (const [wallet, pay, path] of buyers) {
      const bought = await pay(apiUrl + path, keyed);
      expect(bought.status, await bought.clone().text()).toBe(200);
      expect(await bought.json()).toEqual(counted);
      const retried = await pay(apiUrl + path, keyed);
      expect(retried.headers.get('paid-call-id')).toBe(bought.headers.get('paid-call-id'));
      expect(await retried.json()).toEqual(counted);
      expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 1_000n);
    }
  });

  test('lists it in prices and OpenAPI', async () => {
    const { prices } = await (await fetch(`${apiUrl}/v1/tools/prices`)).json();
    const paths = { x402: '/v1/tools/word-count', mpp: '/v1/mpp/tools/word-count' };
    expect(prices.wordCount).toMatchObject({
      operation: 'tools.word-count',
      amountUsdcAtomic: '1000',
      paths,
    });
    const openApi = await (await fetch(`${apiUrl}/openapi.json`)).json();
    for (const path of Object.values(paths)) {
      const { $ref } = openApi.paths[path].post.requestBody.content['application/json'].schema;
      const body = openApi.components.schemas[$ref.split('/').at(-1)];
      expect(body.properties.text).toMatchObject({ type: 'string', maxLength: 10_000 });
    }
  });
});

test.describe('a step that is left out', () => {
  const listOfUnwritten = 'lib/services/list-of-unwritten.ts';
  const wrongService = 'lib/services/tools/wrong-service.ts';
  const wrongRail = 'lib/http/server/wrong-rail.ts';
  let typeErrors: Map<string, string[]>;

  // The wrong files are added next to the right ones and checked together, because most of the time goes into their imports.
  test.beforeAll(async () => {
    const service = await copy.read(serviceFile);
    const services = await copy.read(servicesFile);
    await copy.write(listOfUnwritten, replaced(services, "'./tools/word-count'", "'./tools/unwritten'"));
    await copy.write(
      wrongService,
      replaced(
        service,
        "import { wordCount } from '@/lib/catalog/tools';",
        "import { search as wordCount } from '@/lib/catalog/airports';",
      ),
    );
    await copy.write(
      wrongRail,
      `import { paidEndpoint } from '@/lib/catalog/endpoints';
import { wordCount } from '@/lib/catalog/tools';

export const overMpp = paidEndpoint(wordCount, 'mpp');
export const fromAccount = paidEndpoint(wordCount, 'account');
`,
    );
    typeErrors = copy.typeErrors([serviceFile, servicesFile, listOfUnwritten, wrongService, wrongRail]);
    await copy.remove(listOfUnwritten, wrongService, wrongRail);
  });

  /** Expects that specs fail in the copy with these messages. */
  async function expectFailure(specs: readonly string[], ...messages: readonly string[]): Promise<void> {
    const { code, output } = await copy.runSpecs(...specs);
    for (const message of messages) expect(output).toContain(message);
    expect(code).toBe(1);
  }

  test('is missed: with all of them there, the same checks pass', async () => {
    const specs = ['tests/unit/catalog.spec.ts', 'tests/repo/routes.spec.ts'];
    expect(await copy.runSpecs(...specs)).toMatchObject({ code: 0 });
    expect(typeErrors.get(serviceFile)).toEqual([]);
    expect(typeErrors.get(servicesFile)).toEqual([]);
  });

  test('the entry in its list: tests/unit/catalog.spec.ts names the file', async () => {
    const without = replaced(await copy.read(catalogFile), 'export const paid = [wordCount];', '');
    await copy.during(catalogFile, without, () =>
      expectFailure(
        ['tests/unit/catalog.spec.ts'],
        `${catalogFile} exports tools.word-count but does not list it`,
      ),
    );
  });

  test('the service: its import is a type error', () => {
    expect(typeErrors.get(listOfUnwritten)).toEqual([
      expect.stringContaining("Cannot find module './tools/unwritten'"),
    ]);
  });

  test('the right operation: a service for another is a type error', () => {
    expect(typeErrors.get(wrongService)).toContainEqual(
      expect.stringMatching(/^Type .* is not assignable to type/),
    );
  });

  test('the right rail: one that the operation does not have is a type error', () => {
    expect(typeErrors.get(wrongRail)).toEqual([
      expect.stringMatching(/^Argument of type '"account"' is not assignable to parameter of type/),
    ]);
  });

  test('the line in the list of services: tests/unit/services.spec.ts names the file', async () => {
    const unlisted = replaced(await copy.read(servicesFile), '  countWords,\n', '');
    await copy.during(servicesFile, unlisted, () =>
      expectFailure(['tests/unit/services.spec.ts'], `${servicesFile} lists no service for tools.word-count`),
    );
  });
});
