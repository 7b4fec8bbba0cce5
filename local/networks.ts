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

/** The test networks of the same chains, for NETWORKS=test. Only the tests of that setting start them. */
export const evmTestNetworks = [
  {
    name: 'base-sepolia',
    chainId: 84532,
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    interfaceMulticall: '0xd867e273eAbD6c853fCd0Ca0bFB6a3aE6491d2C1',
    rpcSetting: 'BASE_RPC_URL',
  },
  {
    name: 'polygon-amoy',
    chainId: 80002,
    usdc: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    // It is not deployed there.
    interfaceMulticall: null,
    rpcSetting: 'POLYGON_RPC_URL',
  },
  {
    name: 'arbitrum-sepolia',
    chainId: 421614,
    usdc: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
    interfaceMulticall: '0x2B718b475e385eD29F56775a66aAB1F5cC6B2A0A',
    rpcSetting: 'ARBITRUM_RPC_URL',
  },
] as const;

/** With the real genesis hashes, because their first 32 characters are the clusters' CAIP-2 references. */
export const solanaClusters = {
  'solana-mainnet': {
    name: 'solana-mainnet',
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    rpcSetting: 'SOLANA_RPC_URL',
  },
  'solana-devnet': {
    name: 'solana-devnet',
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    rpcSetting: 'SOLANA_RPC_URL',
  },
} as const;

export const solanaNetwork = solanaClusters['solana-mainnet'];

export type EvmNetwork = (typeof evmNetworks)[number];
export type SolanaCluster = keyof typeof solanaClusters;
