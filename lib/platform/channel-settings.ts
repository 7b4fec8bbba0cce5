import type { z } from 'zod';
import { evmKey, oneOf, usdcAmount, yesOrNo } from './setting-rules';

/**
 * Settings of payment channels (x402's `batch-settlement`). Channels are on one network at most: the official client reads the
 * state in a corrective 402 from the first such entry, so a second network would get the state of the first.
 */

const channelNetworks = ['base', 'polygon', 'arbitrum'] as const;
/**
 * The client chooses how much it deposits, and a refund of the rest takes a transaction that we pay for. A smaller deposit hardly
 * covers the gas that it costs.
 */
const deposit = usdcAmount('1 or 0.50', 0.25, 1_000);

export const channelSettings = {
  BATCH_SETTLEMENT: oneOf(channelNetworks).optional(),
  /** No payments are accepted any longer; claims and refunds continue. */
  BATCH_CLOSING: yesOrNo.default(false),
  BATCH_AUTHORIZER_KEY: evmKey.optional(),
  BATCH_DEPOSIT_USDC_MIN: deposit.default('1'),
  BATCH_DEPOSIT_USDC_MAX: deposit.default('5'),
};

type ChannelSettings = z.output<z.ZodObject<typeof channelSettings>>;
type Others = Readonly<Record<string, unknown>>;

/** What is wrong with these settings, in themselves and together with the others; empty while channels are off. */
export function channelSettingProblems(env: ChannelSettings & Others): { name: string; message: string }[] {
  const { BATCH_SETTLEMENT: network, BATCH_AUTHORIZER_KEY: key } = env;
  if (network === undefined) return [];
  const setting = network.toUpperCase();
  const problems: { name: string; message: string }[] = [];
  if (key === undefined)
    problems.push({ name: 'BATCH_AUTHORIZER_KEY', message: 'is required for BATCH_SETTLEMENT' });
  if (env[`${setting}_RPC_URL`] === undefined)
    problems.push({ name: 'BATCH_SETTLEMENT', message: `needs ${setting}_RPC_URL` });
  const facilitator = [`${setting}_FACILITATOR_URL`, 'X402_FACILITATOR_URL'].find(
    (name) => env[name] !== undefined,
  );
  if (facilitator !== undefined)
    problems.push({ name: 'BATCH_SETTLEMENT', message: `cannot be set beside ${facilitator}` });
  if (Number(env.BATCH_DEPOSIT_USDC_MAX) < Number(env.BATCH_DEPOSIT_USDC_MIN))
    problems.push({
      name: 'BATCH_DEPOSIT_USDC_MAX',
      message: 'must be at least BATCH_DEPOSIT_USDC_MIN',
    });
  return problems;
}
