import { type Action, breakAnswer, delayAnswer, loseAnswer, repeatRequest } from '../../support/rpc-proxy';
import type { DatabaseAction } from '../database-proxy';
import { pause } from '../rig/waiting';

type Kill = () => Promise<void>;

/** Something that is done to one message between the server and a chain, or the server and its database. */
export interface ChainFault {
  readonly what: string;
  readonly kills: boolean;
  readonly make: (kill: Kill) => Action;
}

export interface DatabaseFault {
  readonly what: string;
  readonly kills: boolean;
  readonly make: (kill: Kill) => DatabaseAction;
}

const delayMs = 1_500;

export const chainFaults: readonly ChainFault[] = [
  {
    what: 'server killed before it',
    kills: true,
    make: (kill) => async () => {
      await kill();
      return { fault: 'close' };
    },
  },
  {
    what: 'server killed after it',
    kills: true,
    make: (kill) => async (_, forward) => {
      await forward();
      await kill();
      return { fault: 'close' };
    },
  },
  { what: 'reply dropped', kills: false, make: () => loseAnswer },
  { what: 'reply delayed', kills: false, make: () => delayAnswer(delayMs) },
  { what: 'doubled', kills: false, make: () => repeatRequest },
  { what: 'replied to with 500', kills: false, make: () => breakAnswer('status-500') },
  { what: 'connection reset', kills: false, make: () => breakAnswer('reset') },
  { what: 'reply truncated', kills: false, make: () => breakAnswer('truncate') },
];

export const databaseFaults: readonly DatabaseFault[] = [
  { what: 'server killed before it', kills: true, make: (kill) => () => kill() },
  {
    what: 'server killed after it',
    kills: true,
    make:
      (kill) =>
      async ({ forward }) => {
        await forward();
        await kill();
      },
  },
  {
    what: 'reply dropped',
    kills: false,
    make:
      () =>
      async ({ forward, end }) => {
        await forward();
        end();
      },
  },
  {
    what: 'delayed',
    kills: false,
    make:
      () =>
      async ({ forward, reply }) => {
        await pause(delayMs);
        reply(await forward());
      },
  },
  {
    what: 'refused as a serialization failure',
    kills: false,
    make: () => refuseSerialization,
  },
  {
    what: 'connection reset',
    kills: false,
    make:
      () =>
      async ({ end }) =>
        end('reset'),
  },
  {
    what: 'reply truncated',
    kills: false,
    make:
      () =>
      async ({ forward, reply, end }) => {
        const bytes = await forward();
        reply(bytes.subarray(0, bytes.length / 2));
        // What was written has to leave before the connection does.
        await pause(20);
        end();
      },
  },
];

/** The database refuses a statement as one that could not be serialized, and does nothing. */
export const refuseSerialization: DatabaseAction = async ({ reply }) => reply(serializationFailure);

/** ErrorResponse with SQLSTATE 40001, then ReadyForQuery outside of a transaction. */
const serializationFailure = (() => {
  const fields = ['SERROR', 'VERROR', 'C40001', 'Mcould not serialize access', ''];
  const text = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length + 4);
  return Buffer.concat([Buffer.from('E'), length, text, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])]);
})();
