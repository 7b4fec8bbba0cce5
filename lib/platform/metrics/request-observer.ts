/** What is known about a request that pays before it is handled. */
export interface ObservedRequest {
  readonly method: string;
  /** The path with its parameters in braces. */
  readonly route: string;
  readonly operation: string;
  readonly rail: string;
  /** The caller's headers, which may say anything. */
  readonly headers: { get(name: string): string | null };
}

/** Facts about a request, by the names under which they are shown: never content, addresses, tokens or keys. */
export type ObservedFacts = Readonly<Record<string, string | number>>;

/** What is read of an answer. */
export interface ObservedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Follows single requests through the process, where the metrics only count them. An optional feature may be one. */
export interface RequestObserver {
  /** Handles a request that pays. */
  request<T extends ObservedAnswer>(about: ObservedRequest, handle: () => Promise<T>): Promise<T>;
  /** Does a part of the request under way. */
  phase<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Sends a request to another server, with the headers that it gives. */
  outgoing<T extends { readonly status: number }>(
    server: string,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T>;
  /** Adds facts about the request under way. */
  note(facts: ObservedFacts): void;
  /** Stops, within a short time and whatever is lost. Never rejects. */
  close(): Promise<void>;
}

/** The headers in which callers say what their request belongs to (W3C Trace Context), for requests that are handed on inside. */
export const observedHeaders = ['traceparent', 'tracestate'] as const;
