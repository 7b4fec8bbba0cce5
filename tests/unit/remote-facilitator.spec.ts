import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { facilitatorCredentials } from '@/lib/payments/facilitator/facilitator-credentials';
import { RemoteFacilitator } from '@/lib/payments/facilitator/remote-facilitator';
import { configuredOffers } from '@/lib/payments/network-offers';
import { productionTimings } from '@/lib/platform/timings';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** A facilitator that accepts every payment, or keeps every request open. */
async function startHangingFacilitator() {
  const seen: string[] = [];
  const state = { hangs: true };
  const server = createServer((request, response) => {
    seen.push(String(request.url));
    if (state.hangs) return;
    response.setHeader('Content-Type', 'application/json');
    const support = { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] };
    const body =
      request.url === '/supported' ? { ...support, extensions: [], signers: {} } : { isValid: true };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    heal: () => {
      state.hangs = false;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('payments after one that a facilitator left unanswered are refused at once, until it answers again', async () => {
  const facilitator = await startHangingFacilitator();
  const time = new VirtualTime();
  const clock = time.createClock();
  const platform = testPlatform({}, clock);
  const timings = {
    ...productionTimings,
    facilitator: { ...productionTimings.facilitator, verifyWithinMs: 500 },
  };
  const app = { ...platform, timings };
  const [offer] = configuredOffers(app.settings);
  if (!offer) throw new Error('no network is configured');
  const credentials = facilitatorCredentials(app, offer.network);
  const remote = new RemoteFacilitator(app, offer.network, facilitator.url, credentials);
  const payload = { x402Version: 2, payload: {} } as unknown as PaymentPayload;
  const requirements = {} as PaymentRequirements;
  const ask = () => remote.refusal(payload, requirements);
  const usable = async () => (await app.metrics.facilitators.usable.get()).values[0]?.value;
  try {
    expect(await usable()).toBe(1);
    await expect(ask()).rejects.toThrow('timed out');
    await expect(ask()).rejects.toThrow('the facilitator does not answer');
    expect(facilitator.seen).toEqual(['/verify']);
    expect(await usable()).toBe(0);

    facilitator.heal();
    await time.pass(productionTimings.rpc.probeFirstMs);
    expect(await ask()).toBeNull();
    expect(await usable()).toBe(1);
    expect(facilitator.seen).toEqual(['/verify', '/supported', '/verify']);
  } finally {
    facilitator.close();
  }
});
