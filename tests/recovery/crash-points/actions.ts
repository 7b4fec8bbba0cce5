import type { DatabaseAction } from '../../support/database-proxy';
import type { HttpAction } from '../../support/http-proxy';
import { type Action, breakAnswer, delayAnswer, loseAnswer, repeatRequest } from '../../support/rpc-proxy';
import { pause } from '../rig/waiting';

type Kill = () => Promise<void>;

interface Fault {
  readonly what: string;
  /** Whether it kills the server, and whether before or after the message is carried out. */
  readonly kills: 'before' | 'after' | null;
  /** What the server makes of it when the message only reads: it fails, comes late, or is as good as ever. */
  readonly read: 'fails' | 'late' | 'unharmed';
}

/** Something that is done to one message between the server and a chain, its database, or a provider or store. */
export interface ChainFault extends Fault {
  readonly make: (kill: Kill) => Action;
}

export interface DatabaseFault extends Fault {
  readonly make: (kill: Kill) => DatabaseAction;
}

export interface ServiceFault extends Fault {
  readonly make: (kill: Kill) => HttpAction;
}

/** Longer than each time after which a server on the shortest timings does something about a silence. */
const delayMs = 400;

export const chainFaults: readonly ChainFault[] = [
  {
    what: 'server killed before it',
    kills: 'before',
    read: 'fails',
    make: (kill) => async () => {
      await kill();
      return { fault: 'close' };
    },
  },
  {
    what: 'server killed after it',
    kills: 'after',
    read: 'fails',
    make: (kill) => async (_, forward) => {
      await forward();
      await kill();
      return { fault: 'close' };
    },
  },
  { what: 'reply dropped', kills: null, read: 'fails', make: () => loseAnswer },
  { what: 'reply delayed', kills: null, read: 'late', make: () => delayAnswer(delayMs) },
  { what: 'doubled', kills: null, read: 'unharmed', make: () => repeatRequest },
  { what: 'replied to with 500', kills: null, read: 'fails', make: () => breakAnswer('status-500') },
  { what: 'connection reset', kills: null, read: 'fails', make: () => breakAnswer('reset') },
  { what: 'reply truncated', kills: null, read: 'fails', make: () => breakAnswer('truncate') },
];

/** The message is carried out, and the connection ends without its reply. */
async function dropReply({ forward, end }: { forward(): Promise<unknown>; end(): void }): Promise<void> {
  await forward();
  end();
}

export const databaseFaults: readonly DatabaseFault[] = [
  { what: 'server killed before it', kills: 'before', read: 'fails', make: (kill) => () => kill() },
  {
    what: 'server killed after it',
    kills: 'after',
    read: 'fails',
    make:
      (kill) =>
      async ({ forward }) => {
        await forward();
        await kill();
      },
  },
  {
    what: 'reply dropped',
    kills: null,
    read: 'fails',
    make: () => dropReply,
  },
  {
    what: 'delayed',
    kills: null,
    read: 'late',
    make:
      () =>
      async ({ forward, reply }) => {
        await pause(delayMs);
        reply(await forward());
      },
  },
  {
    what: 'refused as a serialization failure',
    kills: null,
    read: 'fails',
    make: () => (exchange) => refuseSerialization(exchange),
  },
  {
    what: 'connection reset',
    kills: null,
    read: 'fails',
    make:
      () =>
      async ({ end }) =>
        end('reset'),
  },
  {
    what: 'reply truncated',
    kills: null,
    read: 'fails',
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

export const serviceFaults: readonly ServiceFault[] = [
  {
    what: 'server killed before it',
    kills: 'before',
    read: 'fails',
    make:
      (kill) =>
      async ({ end }) => {
        await kill();
        end();
      },
  },
  {
    what: 'server killed after it',
    kills: 'after',
    read: 'fails',
    make:
      (kill) =>
      async ({ forward, end }) => {
        await forward();
        await kill();
        end();
      },
  },
  {
    what: 'reply dropped',
    kills: null,
    read: 'fails',
    make: () => dropReply,
  },
  {
    what: 'reply delayed',
    kills: null,
    read: 'late',
    make:
      () =>
      async ({ forward, reply }) => {
        const answer = await forward();
        await pause(delayMs);
        reply(answer);
      },
  },
  {
    what: 'replied to with 500',
    kills: null,
    read: 'fails',
    make:
      () =>
      async ({ forward, reply }) => {
        await forward();
        reply({
          status: 500,
          headers: { 'content-type': 'text/plain' },
          body: Buffer.from('Internal Server Error'),
        });
      },
  },
  {
    what: 'connection reset',
    kills: null,
    read: 'fails',
    make:
      () =>
      async ({ forward, end }) => {
        await forward();
        end('reset');
      },
  },
  {
    what: 'reply truncated',
    kills: null,
    read: 'fails',
    make:
      () =>
      async ({ forward, truncate }) =>
        truncate(await forward()),
  },
];

/** The database refuses a statement as one that could not be serialized, and does nothing. */
export const refuseSerialization = refuse('40001', 'could not serialize access');

/** The database refuses a statement that writes, because its disk is full. */
export const refuseFullDisk = refuse('53100', 'could not extend file: No space left on device');

/** ErrorResponse with a SQLSTATE, then ReadyForQuery outside of a transaction. */
function refuse(sqlState: string, message: string): DatabaseAction {
  const fields = ['SERROR', 'VERROR', `C${sqlState}`, `M${message}`, ''];
  const text = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length + 4);
  const bytes = Buffer.concat([Buffer.from('E'), length, text, Buffer.from([0x5a, 0, 0, 0, 5, 0x49])]);
  return async ({ reply }) => reply(bytes);
}
