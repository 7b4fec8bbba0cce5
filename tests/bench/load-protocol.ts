/** A request as the load program sends it. */
export interface LoadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent instead of `body`, read into memory beforehand. */
  readonly bodyFile?: string;
}

/** The same request over and over, each connection sending its next when it has the answer, for a fixed time. */
export interface Flood {
  readonly kind: 'flood';
  readonly request: LoadRequest;
  readonly connections: number;
  readonly durationMs: number;
}

/** Every lane sends its requests one after the other over a connection of its own; all lanes at once. */
export interface Lanes {
  readonly kind: 'lanes';
  readonly lanes: readonly (readonly LoadRequest[])[];
}

export interface Call {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly ms: number;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** Lane by lane; a flood only counts. */
  readonly calls: readonly Call[];
  readonly statuses: Readonly<Record<number, number>>;
}
