import { neural } from '@/lib/catalog';
import { probeProviders, type TrialResult, tryProviders } from '@/lib/operator/try-providers';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { CircuitBreakers } from '@/lib/platform/upstream/circuit-breakers';
import { startSandboxProviders } from '@/local/sandbox/server';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

async function tried(settings: Readonly<Record<string, string>>): Promise<TrialResult[]> {
  const platform = testPlatform(settings);
  const results: TrialResult[] = [];
  for await (const result of tryProviders({ ...platform, circuitBreakers: new CircuitBreakers(platform) }))
    results.push(result);
  return results;
}

test('trying the providers calls each once, and finds no difference to what we expect', async () => {
  const sandbox = await startSandboxProviders();
  const results = await tried(sandbox.serverEnv);
  expect(results.map(({ provider, differences }) => [provider, differences])).toEqual([
    ['exa', []],
    ['firecrawl', []],
    ['serper', []],
    ['duffel', []],
  ]);
  const { count } = await (await fetch(`${sandbox.url}/requests`)).json();
  expect(count).toBe(4);
  await sandbox.stop();
});

test('trying the providers tells the operator about a key that is not taken and an API that has changed', async () => {
  const sandbox = await startSandboxProviders();
  const gone = await startSandboxProviders();
  await gone.stop();
  const { EXA_BASE_URL = '', SERPER_BASE_URL = '' } = sandbox.serverEnv;
  const results = await tried({
    ...{
      EXA_API_KEY: 'wrong',
      EXA_BASE_URL,
      SERPER_API_KEY: 'sandbox_serper',
      SERPER_BASE_URL: `${SERPER_BASE_URL}/old`,
    },
    ...{ DUFFEL_API_KEY: 'key', DUFFEL_BASE_URL: gone.url },
  });
  expect(results.map(({ provider, differences }) => [provider, ...differences])).toEqual([
    ['exa', expect.stringContaining('does not take our key')],
    ['serper', expect.stringContaining('does not take the request')],
    ['duffel', expect.stringContaining('no connection')],
  ]);
  await sandbox.stop();
});

test('every hour a key that is not taken raises an alarm, and test keys are not tried', async () => {
  const sandbox = await startSandboxProviders();
  const { EXA_BASE_URL = '' } = sandbox.serverEnv;
  const alarmsWith = async (settings: Readonly<Record<string, string>>) => {
    const platform = testPlatform(settings);
    const alarms: unknown[] = [];
    Object.assign(platform.log, { error: (facts: unknown) => alarms.push(facts) });
    await probeProviders({ ...platform, circuitBreakers: new CircuitBreakers(platform) });
    return alarms;
  };
  expect(await alarmsWith(sandbox.serverEnv)).toEqual([]);
  const dead = { EXA_API_KEY: 'dead', EXA_BASE_URL };
  expect(await alarmsWith({ ...dead, PROBE_PROVIDERS: 'false' })).toEqual([]);
  const { count } = await (await fetch(`${sandbox.url}/requests`)).json();
  expect(count).toBe(0);
  expect(await alarmsWith(dead)).toEqual([
    { provider: 'exa', differences: [expect.stringContaining('does not take our key')] },
  ]);
  await sandbox.stop();
});

test('an operation that the operator switched off is not offered, although its provider has a key', () => {
  const settings = { EXA_API_KEY: 'key', OPERATIONS_OFF: 'neural.findSimilar' };
  const app = testPlatform(settings);
  expect(isAvailable(app, neural.findSimilar)).toBe(false);
  expect(isAvailable(app, neural.search)).toBe(true);
  expect(() => testPlatform({ OPERATIONS_OFF: 'neural.similar' })).toThrow(/OPERATIONS_OFF: must be the ids/);
});
