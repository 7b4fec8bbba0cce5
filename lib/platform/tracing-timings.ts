/** Traces of requests. A stopping server waits for the collector no longer than `closeWithinMs`. */
export const tracingTimings = { exportEveryMs: 5_000, exportWithinMs: 10_000, closeWithinMs: 1_000 } as const;
