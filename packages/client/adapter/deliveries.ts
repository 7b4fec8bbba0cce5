import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Tasks to run once the response to a request has been sent. */
export interface Deliveries {
  after(request: RequestId, task: () => Promise<void>): void;
  /** Resolves when no task is running. */
  settled(): Promise<unknown>;
}

/** Room for a file of 10 MiB in base64. */
const messageBytesMax = 16 * 1024 * 1024;

/**
 * The stdio transport. It runs a task when the bytes of the response have been passed to the operating system. If the
 * assistant cancels a call and the response is never sent, its task does not run.
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
    // Counts as running before the first byte is sent, because the assistant's next call waits for this task.
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
    // If the key stays, the next such call is a free retry. Nobody loses money.
    await task?.().catch(() => process.stderr.write('tuppence-mcp: the state file could not be updated\n'));
  }
}
