import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** What is to be done once the answer to a request has left. */
export interface Deliveries {
  after(request: RequestId, task: () => Promise<void>): void;
  /** Resolves when nothing of it is under way. */
  settled(): Promise<unknown>;
}

/** A file of 10 MiB in base64, and the words around it. */
const messageBytesMax = 16 * 1024 * 1024;

/**
 * The transport over standard input and output, which does those things when the bytes of an answer have been handed to the
 * operating system. An answer that is never sent, because the assistant gave the call up, leaves its task undone.
 */
export class DeliveringTransport extends StdioServerTransport implements Deliveries {
  readonly #tasks = new Map<RequestId, () => Promise<void>>();
  readonly #running = new Set<Promise<void>>();

  constructor() {
    super(process.stdin, process.stdout, { maxBufferSize: messageBytesMax });
  }

  after(request: RequestId, task: () => Promise<void>): void {
    this.#tasks.set(request, task);
  }

  settled(): Promise<unknown> {
    return Promise.all(this.#running);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    // Known as running before the first byte leaves: the call that the answer brings about waits for it.
    const delivery = this.#deliver(message);
    this.#running.add(delivery);
    await delivery.finally(() => this.#running.delete(delivery));
  }

  async #deliver(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
    if (!('id' in message) || message.id === undefined || 'method' in message) return;
    const task = this.#tasks.get(message.id);
    this.#tasks.delete(message.id);
    // The key that stays behind makes the next such call a free repetition; nobody loses money by that.
    await task?.().catch(() =>
      process.stderr.write('tuppence-mcp: the state file could not be brought up to date\n'),
    );
  }
}
