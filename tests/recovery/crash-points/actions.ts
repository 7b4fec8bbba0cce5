import type { DatabaseAction } from '../../support/database-proxy';
import type { HttpAction } from '../../support/http-proxy';
import { type Action, breakAnswer, delayAnswer, loseAnswer, repeatRequest } from '../../support/rpc-proxy';
import { pause } from '../rig/waiting';

type Kill = () => Promise<void>;

interface Fault {
  readonly what: string;
  /** Whether the server is killed, and whether before or after the message is processed. */
  readonly kills: 'before' | 'after' | null;
  /** The effect on a message that only reads: it fails, is late, or is unharmed. */
  readonly read: 'fails' | 'late' | 'unharmed';
}

/** A fault of one message between the server and a chain. */
export interface ChainFault extends Fault {
  readonly make: (kill: Kill) => Action;
}

export interface DatabaseFault extends Fault {
  readonly make: (kill: Kill) => DatabaseAction;
}

export interface ServiceFault extends Fault {
  readonly make: (kill: Kill) => HttpAction;
}

/** Longer than any timeout of a server with the shortest timings that reacts to silence. */
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

/** Forwards the message, and ends the connection without a reply. */
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
        // The bytes written have to be sent before the connection ends.
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

/** The database rejects a statement with a serialization failure, and does nothing. */
export const refuseSerialization = refuse('40001', 'could not serialize access');

/** The database rejects a statement that writes, because its disk is full. */
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
