import { configuredOffers } from '@/lib/payments/network-offers';
import { type AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import { NetworkWatch } from '@/lib/payments/network-watch';
import type { Payment } from '@/lib/payments/payment';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { NetworkProblem } from '@/lib/payments/settlers';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const paused: NetworkProblem = { message: 'the token is paused', advice: 'Wait.', isOfToken: true };
/** Without features, a watch uses nothing else of a payment. */
const payment = { network: 'base' } as Payment;

/** A watch over base, with a token that the test answers for. */
function watchedBase() {
  const app = testPlatform();
  const token = { problems: [] as NetworkProblem[], asked: 0, check: async () => token.problems };
  const settler = {
    check: () => token.check(),
    commonProblems: async () => {
      token.asked += 1;
      return token.problems;
    },
  };
  // The watch uses nothing else of a settler.
  const [offer] = configuredOffers(app.settings).map(
    (one) => ({ ...one, settler, nodes: new RpcNodes(app, one) }) as unknown as AvailableOffer,
  );
  if (!offer) throw new Error('base is not configured');
  const networks = new NetworkRegistry([offer]);
  networks.report('base', []);
  return { token, offer, networks, watch: new NetworkWatch(app, networks, []) };
}

test('a payment that fails for a reason of its own does not make the token be asked', async () => {
  const { token, watch } = watchedBase();
  token.problems = [paused];
  for (const reason of [
    'invalid_exact_evm_nonce_already_used',
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_payload_authorization_valid_after',
    'invalid_exact_evm_payload_undeployed_smart_wallet',
    'gas_budget_exceeded',
    'insufficient_funds',
    'transaction_expired_unused',
  ])
    expect(await watch.isWithdrawnAfter(payment, reason)).toBe(false);
  expect(token.asked).toBe(0);
});

test('no reason of a payer withdraws a network whose token says that nothing is wrong', async () => {
  const { token, networks, watch } = watchedBase();
  for (const reason of ['token_paused', 'payer_blocked', 'invalid_exact_evm_transaction_simulation_failed'])
    expect(await watch.isWithdrawnAfter(payment, reason)).toBe(false);
  expect(token.asked).toBe(3);
  expect(networks.isOffered('base')).toBe(true);
});

test('payments that fail together share one question, which is asked after they have failed', async () => {
  const { token, watch } = watchedBase();
  const first = watch.isWithdrawnAfter(payment, 'token_paused');
  await expect.poll(() => token.asked).toBe(1);
  await first;
  token.problems = [paused];
  const later = await Promise.all(
    Array.from({ length: 100 }, () => watch.isWithdrawnAfter(payment, 'token_paused')),
  );
  expect(later).toEqual(Array(100).fill(true));
  expect(token.asked).toBe(2);
});

test('a check that began before a payment failed does not offer the network again', async () => {
  const { token, offer, networks, watch } = watchedBase();
  let end = (_: NetworkProblem[]) => {};
  token.check = () =>
    new Promise((resolve) => {
      end = resolve;
    });
  const checking = watch.check(offer);
  token.problems = [paused];
  expect(await watch.isWithdrawnAfter(payment, 'invalid_exact_evm_signature')).toBe(true);
  end([]);
  await checking;
  expect(networks.isOffered('base')).toBe(false);
  expect(watch.tokenProblems('base')).toEqual(['the token is paused']);
  token.check = async () => [];
  await watch.check(offer);
  expect(networks.isOffered('base')).toBe(true);
  expect(watch.tokenProblems('base')).toEqual([]);
});
