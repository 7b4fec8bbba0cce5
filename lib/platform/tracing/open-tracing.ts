import type { Platform } from '../platform';

/**
 * Sends a trace of each request that pays to an OpenTelemetry collector, if one is set (docs/tracing.md). Otherwise nothing of it is
 * loaded.
 */
export async function openTracing(app: Platform): Promise<void> {
  if (app.settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  const { RequestTracer } = await import('./request-tracer');
  app.metrics.observer = new RequestTracer(app, app.settings.OTEL_EXPORTER_OTLP_ENDPOINT);
}
