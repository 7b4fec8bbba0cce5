/** The networks of the local stack, with the names, chain ids and contract addresses of the real ones. */
export const evmNetworks = [
  {
    name: 'base',
    chainId: 8453,
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    interfaceMulticall: '0x091e99cb1C49331a94dD62755D168E941AbD0693',
    rpcSetting: 'BASE_RPC_URL',
  },
  {
    name: 'polygon',
    chainId: 137,
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    interfaceMulticall: '0x1F98415757620B543A52E61c46B32eB19261F984',
    rpcSetting: 'POLYGON_RPC_URL',
  },
  {
    name: 'arbitrum',
    chainId: 42161,
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    interfaceMulticall: '0xadF885960B47eA2CD9B55E6DAc6B42b7Cb2806dB',
    rpcSetting: 'ARBITRUM_RPC_URL',
  },
] as const;

/** The real genesis hash, because its first 32 characters are the chain's CAIP-2 reference. */
export const solanaGenesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

export const solanaNetwork = {
  name: 'solana-mainnet',
  caip2: `solana:${solanaGenesisHash.slice(0, 32)}`,
  usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  rpcSetting: 'SOLANA_RPC_URL',
} as const;

export type EvmNetwork = (typeof evmNetworks)[number];
