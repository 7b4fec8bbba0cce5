/** What a visitor can break and repair at any step: each fault with its button, what it does, and what the log says about both. */
export const faults = {
  server: {
    label: 'Kill the server',
    does: 'The process ends in the middle of whatever it is doing. Press again to start a new one.',
    begins: 'Kill the server.',
    ends: 'Start a new server.',
  },
  broadcast: {
    label: 'Lose broadcast responses',
    does: 'The node takes each transaction, but the server does not learn that it did.',
    begins: 'Lose the responses to broadcasts.',
    ends: 'Let the responses to broadcasts arrive.',
  },
  client: {
    label: 'Disconnect the client',
    does: 'The client loses its connection and any response on it. It retries once it is back.',
    begins: 'Disconnect the client.',
    ends: 'Connect the client again.',
  },
  node: {
    label: 'Hang the node',
    does: 'The RPC node accepts requests and never responds.',
    begins: 'Hang the node.',
    ends: 'Let the node respond again.',
  },
  reorganization: {
    label: 'Reorganize the chain',
    does: 'The block with the payment is replaced by one without it. Press again to let blocks take transactions.',
    begins: 'Reorganize the chain.',
    ends: 'Let blocks take transactions again.',
  },
  provider: {
    label: 'Fail the provider',
    does: 'The third party that does the work cannot be reached.',
    begins: 'Fail the provider.',
    ends: 'Let the provider work again.',
  },
} as const;

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as readonly FaultName[];
