import type { z } from 'zod';
import { evmKeyId, type OwnKey } from './own-keys';
import { evmKey, oneOf, usdcAmount, yesOrNo } from './setting-rules';
import type { ByNetwork } from './settings-by-network';

/**
 * Settings of payment channels (x402's `batch-settlement`). Channels are on one network at most: the official client reads the
 * state in a corrective 402 from the first such entry, so a second network would get the state of the first.
 */
const networks = ['base', 'polygon', 'arbitrum'] as const;
const settingOf = { base: 'BASE', polygon: 'POLYGON', arbitrum: 'ARBITRUM' } as const;

/**
 * The client chooses how much it deposits, and a refund of the rest takes a transaction that we pay for. A smaller deposit hardly
 * covers the gas that it costs.
 */
const deposit = usdcAmount('1 or 0.50', 0.25, 1_000);

const shape = {
  BATCH_SETTLEMENT: oneOf(networks).optional(),
  /** No payments are accepted any longer; claims and refunds continue. */
  BATCH_CLOSING: yesOrNo.default(false),
  BATCH_AUTHORIZER_KEY: evmKey.optional(),
  BATCH_DEPOSIT_USDC_MIN: deposit.default('1'),
  BATCH_DEPOSIT_USDC_MAX: deposit.default('5'),
};

type Env = z.output<z.ZodObject<typeof shape>> &
  Readonly<Record<string, unknown>> & {
    readonly FACILITATOR_URL: ByNetwork<'BASE' | 'POLYGON' | 'ARBITRUM', string>;
    readonly SETTLEMENT_KEYS_EVM?: readonly string[] | undefined;
  };

interface Problem {
  readonly name: string;
  readonly message: string;
}

export const channelSettings = {
  shape,

  /** The keys of the server among them. */
  keysOf({ BATCH_AUTHORIZER_KEY: key }: Env): OwnKey[] {
    return key === undefined ? [] : [{ setting: 'BATCH_AUTHORIZER_KEY', id: evmKeyId(key) }];
  },

  /** What is wrong with them, in themselves and together with other settings. */
  problemsOf: (env: Env): Problem[] => [...termProblems(env), ...authorizerProblems(env)],
};

/** Empty while channels are off. */
function termProblems(env: Env): Problem[] {
  const { BATCH_SETTLEMENT: network, BATCH_AUTHORIZER_KEY: key } = env;
  if (network === undefined) return [];
  const setting = settingOf[network];
  const problems: Problem[] = [];
  if (key === undefined)
    problems.push({ name: 'BATCH_AUTHORIZER_KEY', message: 'is required for BATCH_SETTLEMENT' });
  if (env[`${setting}_RPC_URL`] === undefined)
    problems.push({ name: 'BATCH_SETTLEMENT', message: `needs ${setting}_RPC_URL` });
  if (env.FACILITATOR_URL.get(setting) !== undefined)
    problems.push({
      name: 'BATCH_SETTLEMENT',
      message: `cannot be set beside FACILITATOR_URL for ${network}`,
    });
  if (Number(env.BATCH_DEPOSIT_USDC_MAX) < Number(env.BATCH_DEPOSIT_USDC_MIN))
    problems.push({
      name: 'BATCH_DEPOSIT_USDC_MAX',
      message: 'must be at least BATCH_DEPOSIT_USDC_MIN',
    });
  return problems;
}

/** The authorizer is part of the terms of every channel, so it cannot be replaced as a settlement key can. */
function authorizerProblems({ BATCH_AUTHORIZER_KEY: key, SETTLEMENT_KEYS_EVM: others = [] }: Env): Problem[] {
  const authorizer = key && evmKeyId(key);
  if (!authorizer || !others.some((other) => evmKeyId(other) === authorizer)) return [];
  const message =
    'must not be a key in SETTLEMENT_KEYS_EVM, because it cannot be replaced as long as channels are open. Generate another key';
  return [{ name: 'BATCH_AUTHORIZER_KEY', message }];
}
