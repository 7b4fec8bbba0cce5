/**
 * The kills of tests/recovery/kill.spec.ts as histories of the model, by the title of their test: `kills.spec.ts` fails when a test is
 * here and not there, or there and not here.
 */
export type Kill = { readonly histories: readonly (readonly string[])[] } | { readonly leftOut: string };

const claimed = [
  'A gets a request and finds no call',
  'A verifies the payment',
  'A claims the call',
] as const;
const broadcast = [...claimed, 'A records the signed transaction', 'A broadcasts the transaction'] as const;
const mined = [...broadcast, 'a block makes the payment'] as const;
const killed = ['A is killed', 'the heartbeat of the killed process runs out'] as const;
const takenOver = ['B gets a request and takes the call over'] as const;
const delivered = ['B delivers', 'B stores the answer'] as const;
const final = ['the block with the payment is final', 'B records that the block is final'] as const;

const minedWithoutReceipt = [
  ...mined,
  ...killed,
  'B follows the open transaction',
  'B records the block',
  ...takenOver,
  ...delivered,
  ...final,
];
const doneWithoutAnswer = [
  ...mined,
  'A records the block',
  'A learns that it is paid',
  'A delivers',
  ...killed,
  ...takenOver,
  ...delivered,
  ...final,
];
const broadcastWithoutAcknowledgement = [
  ...broadcast,
  ...killed,
  'B follows the open transaction',
  'a block makes the payment',
  'B records the block',
  'B recovers the call',
  ...delivered,
  ...final,
];
const verifying = [
  'A gets a request and finds no call',
  'A is killed',
  'B gets a request and finds no call',
  'B verifies the payment',
  'B claims the call',
  'B records the signed transaction',
  'B broadcasts the transaction',
  'a block makes the payment',
  'B records the block',
  'B learns that it is paid',
  ...delivered,
  ...final,
];

const aboutRefunds = 'about requests for refunds, which move no call';

export const kills: Readonly<Record<string, Kill>> = {
  'killed at "…", the same request ends with the one upload it paid for': {
    histories: [minedWithoutReceipt, doneWithoutAnswer],
  },
  // For the model, a wallet that signs in is the owner of the call, as a request with its key is.
  'killed at "…", the wallet alone signs in and gets the one upload it paid for': {
    histories: [minedWithoutReceipt, doneWithoutAnswer],
  },
  'killed at "broadcast without an acknowledgement", recovery delivers within 30 s though the client never returns':
    {
      histories: [broadcastWithoutAcknowledgement],
    },
  'a server killed during verification has stored nothing, and the same request buys the upload': {
    histories: [verifying],
  },
  'killed … a request for a refund is in …, its wallet ends with one request': { leftOut: aboutRefunds },
  "killed … the commit of a decline in the console, the operator's form declines the request once": {
    leftOut: aboutRefunds,
  },
  'a server with a slow clock counts as alive: its calls are not taken over while it works on them': {
    leftOut: 'about the clock of heartbeats, of which the model knows only that they run out',
  },
  'a server started where another was killed waits for nothing: it has the key and the calls of the dead one':
    {
      histories: [broadcastWithoutAcknowledgement],
    },
};
