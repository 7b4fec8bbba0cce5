import type { HttpApp } from '@/lib/http/http-app';
import { watchNetworks } from '@/lib/payments/network-checks';
import { configuredOffers } from '@/lib/payments/network-offers';
import { type AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import { NetworkWatch } from '@/lib/payments/network-watch';
import { productionTimings } from '@/lib/platform/timings';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** How long a network may be offered although nobody responds on it. */
const withdrawnMs = 15_000;
const { checkNetworksMs } = productionTimings.upkeep;

/** Two offered networks, whose checks a test decides about. */
function watch() {
  const clock = new VirtualTime().createClock();
  const platform = testPlatform({ POLYGON_RPC_URL: 'http://127.0.0.1:1' }, clock);
  const checks: Record<string, () => Promise<[]>> = { base: async () => [], polygon: async () => [] };
  const begun: Record<string, number> = { base: 0, polygon: 0 };
  const turns: Record<string, () => void> = {};
  const networks = new NetworkRegistry(
    configuredOffers(platform.settings).map((offer) => {
      const { name } = offer.network;
      const check = () => {
        begun[name] = (begun[name] ?? 0) + 1;
        return checks[name]?.();
      };
      const nodes = {
        onUsabilityChange: (run: () => void) => {
          turns[name] = run;
        },
      };
      // The checks use nothing else of a settler and of the RPCs.
      return { ...offer, settler: { check }, nodes } as unknown as AvailableOffer;
    }),
  );
  for (const name of ['base', 'polygon'] as const) networks.report(name, []);
  const payments = { networks, features: [], watch: new NetworkWatch(platform, networks, []) };
  const app = { ...platform, payments } as unknown as HttpApp;
  return { clock, checks, begun, turns, networks, stop: watchNetworks(app) };
}

const never = () => new Promise<[]>(() => undefined);

test('a network whose check does not end is withdrawn in time, and others are checked as before', async () => {
  const { clock, checks, begun, networks, stop } = watch();
  await clock.time.pass(checkNetworksMs + 100);
  checks.base = never;
  await clock.time.pass(withdrawnMs);
  expect(networks.problems('base')).toEqual(['the check took more than 5 seconds']);
  expect(networks.isOffered('polygon')).toBe(true);
  await clock.time.pass(5 * checkNetworksMs);
  expect(begun.polygon).toBe(7);
  checks.base = async () => [];
  await clock.time.pass(withdrawnMs);
  expect(networks.isOffered('base')).toBe(true);
  await stop();
});

test('a slow check that passes does not make the next one later', async () => {
  const { clock, checks, networks, stop } = watch();
  checks.base = () => clock.sleep(4_900).then(() => []);
  await clock.time.pass(checkNetworksMs + 1_000);
  checks.base = never;
  await clock.time.pass(withdrawnMs - 1_000);
  expect(networks.isOffered('base')).toBe(false);
  checks.base = async () => [];
  await clock.time.pass(withdrawnMs);
  await stop();
});

test('a network is checked at once when its RPCs begin or cease to hang, even during a check', async () => {
  const { clock, checks, begun, turns, networks, stop } = watch();
  turns.base?.();
  expect(begun.base).toBe(1);
  await clock.time.pass(10);
  let fail = () => {};
  checks.base = () => new Promise((_, reject) => (fail = () => reject(new Error('no RPC answers'))));
  turns.base?.();
  turns.base?.();
  expect(begun.base).toBe(2);
  fail();
  await clock.time.pass(20);
  expect(networks.problems('base')).toEqual(['no RPC answers']);
  expect(begun.base).toBe(3);
  fail();
  await stop();
  await clock.time.pass(5 * checkNetworksMs);
  expect(begun.base).toBe(3);
});
