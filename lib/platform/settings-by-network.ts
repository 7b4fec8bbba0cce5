import { z } from 'zod';

/** The networks as settings name them: in names such as `BASE_RPC_URL`, and in values such as `base=900`. */
export const networkSettings = ['BASE', 'POLYGON', 'ARBITRUM', 'SOLANA'] as const;
export const evmNetworkSettings = ['BASE', 'POLYGON', 'ARBITRUM'] as const;

/** The coins that pay for gas, in values such as `ETH=3000`. */
export const coinNames = ['ETH', 'POL', 'SOL'] as const;

type NetworkSetting = (typeof networkSettings)[number];

/** The values of a setting, by network. */
export interface ByNetwork<Name extends string, Value> {
  /** How many values the setting has. */
  readonly size: number;
  get(network: Name): Value | undefined;
  values(): Iterable<Value>;
}

/** The key of a value that names no network. It counts for the networks that are not named. */
const others = 'OTHERS';

/**
 * A setting with a value for each network, such as `base=900,arbitrum=7200`.
 * @param networks those that it may name
 * @param ruleOf the rule of a network's value
 * @param key what the names are, in messages
 */
export function byNetwork<Name extends string, Value>(
  networks: readonly Name[],
  ruleOf: (network: Name) => z.ZodType<Value, string>,
  key = 'NETWORK',
) {
  return z
    .string()
    .transform((text, context): ByNetwork<Name, Value> => {
      const values = new Map<Name, Value>();
      for (const { network, value } of partsOf(text, networks)) {
        if (network === null) context.addIssue(`must be ${formOf(networks, key)}`);
        else parseInto(values, network, ruleOf(network), value, context);
      }
      return values;
    })
    .default(new Map());
}

/**
 * A setting with one value for all networks, such as `https://x402.example.com`, or with values for single networks, such as
 * `base=https://x402.example.com,solana=https://other.example.com`, or with both.
 */
export function forAllOrByNetwork<Value>(rule: z.ZodType<Value, string>) {
  return z
    .string()
    .transform((text, context): ByNetwork<NetworkSetting, Value> => {
      const values = new Map<NetworkSetting | typeof others, Value>();
      for (const { network, value } of partsOf(text, networkSettings))
        parseInto(values, network ?? others, rule, value, context);
      return {
        size: values.size,
        get: (network) => values.get(network) ?? values.get(others),
        values: () => values.values(),
      };
    })
    .default(new Map());
}

/** Splits `base=1,polygon=2`. What does not begin with the name of a network belongs to none. */
function partsOf<Name extends string>(text: string, networks: readonly Name[]) {
  return text.split(',').map((part) => {
    const trimmed = part.trim();
    const network = networks.find((name) => trimmed.toUpperCase().startsWith(`${name}=`)) ?? null;
    return { network, value: network === null ? trimmed : trimmed.slice(network.length + 1).trim() };
  });
}

function parseInto<Name extends string, Value>(
  values: Map<Name, Value>,
  network: Name,
  rule: z.ZodType<Value, string>,
  text: string,
  context: z.RefinementCtx<string>,
): void {
  const subject = network === others ? '' : `${network.toLowerCase()} `;
  if (values.has(network)) context.addIssue(`${subject}must have one value`);
  const { data, error } = rule.safeParse(text);
  for (const { message } of error?.issues ?? []) context.addIssue(`${subject}${message}`);
  if (data !== undefined) values.set(network, data);
}

function formOf(networks: readonly string[], key: string): string {
  const names = networks.map((name) => name.toLowerCase());
  return `${key}=VALUE, or several of them separated by commas, where ${key} is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
