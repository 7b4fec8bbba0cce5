import type { IncomingMessage } from 'node:http';

/**
 * The chunks of a request body. Unlike Node's own iteration, ending early leaves the connection open for the response;
 * the rest of the body is then read and dropped.
 */
export function bodyOf(req: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new BodyChunks(req) };
}

/** How many chunks may wait for a busy reader before the client has to wait too. */
const waitingMax = 16;

class BodyChunks implements AsyncIterator<Uint8Array> {
  readonly #req: IncomingMessage;
  #chunks: Buffer[] = [];
  #isStarted = false;
  #error: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#start();
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#error) throw this.#error;
      if (this.#req.readableEnded) return { done: true, value: undefined };
      if (this.#req.isPaused()) this.#req.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#req.off('data', this.#take);
    this.#chunks = [];
    this.#req.resume();
    return { done: true, value: undefined };
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const req = this.#req;
    if (req.destroyed && !req.readableEnded) {
      this.#fail(new Error('the request was cut off'));
      return;
    }
    req.on('data', this.#take);
    req.on('end', () => this.#wake());
    req.on('error', (error) => this.#fail(error));
    req.on('close', () => {
      if (!req.readableEnded) this.#fail(new Error('the request was cut off'));
    });
  }

  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    if (this.#chunks.length >= waitingMax) this.#req.pause();
    this.#wake();
  };

  #fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }
}
