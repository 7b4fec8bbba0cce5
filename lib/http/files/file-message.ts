import type { Readable } from 'node:stream';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { methodWords } from '@/lib/catalog/errors/method-words';

/** A request to the files origin, without a body. */
export interface FileRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** A header by its name in lower case. */
  header(name: string): string | null | undefined;
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
