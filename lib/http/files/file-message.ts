import type { Readable } from 'node:stream';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { methodWords } from '@/lib/catalog/errors/method-words';

/** A request to the files origin. */
export interface FileRequest {
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  /** A header by its name in lower case. */
  header(name: string): string | null | undefined;
  /**
   * Asks for the body and returns it.
   * @throws ApiError when there is no room for it
   */
  body(): Readable;
  /** Whether the client has disconnected, so that no error can be sent. */
  isGone(): boolean;
}

/** A response of the files origin. */
export interface FileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream has as many bytes as Content-Length says, unless the store aborts. */
  readonly body: Readable | string | null;
}

/** 405, with the supported methods. */
export class MethodNotAllowed extends ApiError {
  constructor(readonly allowed: string) {
    super('method_not_allowed', { message: methodWords(allowed) });
  }
}

/** 416, with the size of the file. */
export class RangeNotSatisfiable extends ApiError {
  constructor(readonly sizeBytes: number) {
    super('range_not_satisfiable');
  }
}
