/** A request as the load program sends it. */
export interface LoadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent instead of `body`, read into memory beforehand. */
  readonly bodyFile?: string;
}

/** The same request repeatedly for a fixed time. Each connection sends the next one after the response. */
export interface Flood {
  readonly kind: 'flood';
  readonly request: LoadRequest;
  readonly connections: number;
  readonly durationMs: number;
}

/** A request, and when it is sent, in milliseconds after the start. */
export interface Arrival {
  readonly dueMs: number;
  readonly request: LoadRequest;
}

/**
 * Sends every request at its due time, whether or not the earlier ones have been answered. After a response other than 200,
 * no more are sent.
 */
export interface Arrivals {
  readonly kind: 'arrivals';
  readonly arrivals: readonly Arrival[];
}

/** All lanes run at the same time. Each sends its requests one after the other over its own connection. */
export interface Lanes {
  readonly kind: 'lanes';
  readonly lanes: readonly (readonly LoadRequest[])[];
}

export interface Call {
  /** 0 if there was no response. */
  readonly status: number;
  /** The time since it was sent, or since it was due. */
  readonly ms: number;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** By lane; empty for a flood, which only counts. */
  readonly calls: readonly Call[];
  readonly statuses: Readonly<Record<number, number>>;
  /** How late arrivals were sent: 95 % of them were at most this late. */
  readonly lateMs?: number;
}
