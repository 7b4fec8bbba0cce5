/** Nobody pays on Solana in the simulator, so no node of it fails. */
export const countedFaults: readonly never[] = [];
export const noNodeFaults = {};
