import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { stack } from '../../support/stack';
import type { NetworkName, RigChain } from './chains';
import type { Rig } from './rig';

/** The settings that a rig's server shares with the stack's server. None of them says where money goes. */
const shared =
  /^(DATA_KEY|OPERATOR_TOKEN|STORAGE|STORAGE_DIR|MPP_SECRETS|SOLANA_WALLET_PROGRAMS|(EXA|FIRECRAWL|SERPER|DUFFEL)_(API_KEY|BASE_URL))$/;

/** The settings of a rig's server, except its address. */
export function settings(
  databaseUrl: string,
  chains: readonly RigChain[],
  payTo: Rig['payTo'],
  beside: Rig | undefined,
): Record<string, string> {
  const feePayerKey = chains.find((chain) => chain.feePayerKey !== null)?.feePayerKey;
  return {
    ...Object.fromEntries(Object.entries(stack().serverEnv).filter(([name]) => shared.test(name))),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '15',
    ...Object.fromEntries(chains.map(({ name, proxy }) => [rpcSetting(name), proxy.url])),
    PAY_TO_EVM: payTo.evm,
    SETTLEMENT_KEYS_EVM: generatePrivateKey(),
    ...(feePayerKey ? { PAY_TO_SOLANA: payTo.solana, SETTLEMENT_KEY_SOLANA: feePayerKey } : {}),
    ...(chains.some(({ name }) => name === 'base') ? channelsOfRun() : {}),
    // Instances of one service share a realm, so each accepts the challenges of the other.
    ...(beside ? { MPP_REALM: new URL(beside.apiUrl).hostname } : {}),
  };
}

/** Whether the servers of this run offer payment channels (`TEST_CHANNELS=on`). */
function channelsOfRun(): Record<string, string> {
  const { BATCH_SETTLEMENT, BATCH_AUTHORIZER_KEY } = stack().serverEnv;
  return BATCH_SETTLEMENT && BATCH_AUTHORIZER_KEY ? { BATCH_SETTLEMENT, BATCH_AUTHORIZER_KEY } : {};
}

/** A facilitator does not settle channels, so a server that uses one does not offer channels. */
export function withoutChannelsBesideFacilitator(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const { BATCH_SETTLEMENT: _network, BATCH_AUTHORIZER_KEY: _key, ...others } = env;
  return env.FACILITATOR_URL ? others : { ...env };
}

export function rpcSetting(name: NetworkName): string {
  return name === 'solana-mainnet' ? 'SOLANA_RPC_URL' : `${name.toUpperCase()}_RPC_URL`;
}

export function evmKeys(serverEnv: Readonly<Record<string, string>>): Hex[] {
  return (serverEnv.SETTLEMENT_KEYS_EVM ?? '').split(',').filter((key) => key !== '') as Hex[];
}
