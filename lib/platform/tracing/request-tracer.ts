import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { about } from '@/lib/catalog/about';
import { inTime } from '../concurrency/in-time';
import { describeError } from '../log';
import type {
  ObservedAnswer,
  ObservedFacts,
  ObservedRequest,
  RequestObserver,
} from '../metrics/request-observer';
import type { Platform } from '../platform';

type TracerDeps = Pick<Platform, 'settings' | 'clock' | 'timings' | 'problems'>;

const propagator = new W3CTraceContextPropagator();

/** What is under way where the code runs. */
interface UnderWay {
  /** With the span that is open. */
  readonly context: Context;
  /** The span of the request. */
  readonly request: Span;
}

/**
 * Traces requests that pay: a span for the request, one for each phase, and one for each request to a provider. The packages of
 * OpenTelemetry are used without its global registration, so that no library adds spans of its own.
 */
export class RequestTracer implements RequestObserver {
  readonly #app: TracerDeps;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #underWay = new AsyncLocalStorage<UnderWay>();

  /** @param endpoint of the collector, without the path for traces */
  constructor(app: TracerDeps, endpoint: string) {
    this.#app = app;
    const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG } = app.settings;
    const { exportWithinMs, exportEveryMs } = app.timings.tracing;
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: exportWithinMs,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': OTEL_SERVICE_NAME,
        'service.version': about.version,
        'service.instance.id': randomUUID(),
      }),
      sampler: ownSampler(OTEL_TRACES_SAMPLER_ARG),
      // Its queue is bounded: while the collector is away, further spans are dropped.
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: reporting(exporter, app),
          scheduledDelayMillis: exportEveryMs,
          exportTimeoutMillis: exportWithinMs,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer(about.name.toLowerCase(), about.version);
  }

  request<T extends ObservedAnswer>(
    { method, route, operation, rail, headers }: ObservedRequest,
    handle: () => Promise<T>,
  ): Promise<T> {
    const parent = propagator.extract(ROOT_CONTEXT, headers, {
      get: (all, name) => all.get(name) ?? undefined,
      keys: () => [],
    });
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'tuppence.operation': operation,
      'tuppence.rail': rail,
    };
    const span = this.#tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    return this.#within({ context: parent, request: span }, span, handle, ({ status, headers: sent }) => {
      describeStatus(span, status, 500);
      const { 'Paid-Call-Id': paidCallId, 'Request-Id': requestId, 'Idempotent-Replayed': replayed } = sent;
      if (paidCallId) span.setAttribute('tuppence.paid_call.id', paidCallId);
      if (requestId) span.setAttribute('tuppence.request.id', requestId);
      if (replayed) span.setAttribute('tuppence.replayed', true);
    });
  }

  phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.getStore();
    // Recovery works for no request.
    if (!underWay) return work();
    return this.#within(underWay, this.#tracer.startSpan(name, {}, underWay.context), work);
  }

  /**
   * Third parties learn the ID of the trace, as Trace Context intends, so that their logs can be compared with ours. They do not get
   * the caller's `tracestate`, which is between the caller and its own vendor.
   */
  outgoing<T extends { readonly status: number }>(
    server: string,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T> {
    const underWay = this.#underWay.getStore();
    if (!underWay) return send({});
    const attributes = { 'tuppence.provider': server };
    const options = { kind: SpanKind.CLIENT, attributes };
    const span = this.#tracer.startSpan(`request to ${server}`, options, underWay.context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
    return this.#within(
      underWay,
      span,
      () => send({ traceparent }),
      ({ status }) => describeStatus(span, status, 400),
    );
  }

  note(facts: ObservedFacts): void {
    this.#underWay.getStore()?.request.setAttributes(facts);
  }

  async close(): Promise<void> {
    const closing = this.#provider.shutdown().catch(() => undefined);
    await inTime(this.#app.clock, closing, this.#app.timings.tracing.closeWithinMs, undefined);
  }

  /** Works while a span is open, and ends it. */
  async #within<T>(
    { context, request }: UnderWay,
    span: Span,
    work: () => Promise<T>,
    tell: (result: T) => void = () => undefined,
  ): Promise<T> {
    try {
      const result = await this.#underWay.run({ context: trace.setSpan(context, span), request }, work);
      tell(result);
      return result;
    } catch (error) {
      // Without its message, which may have anything in it.
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

/** @param errorFrom the lowest status that counts as an error of the side that the span is about (semantic conventions for HTTP) */
function describeStatus(span: Span, status: number, errorFrom: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= errorFrom) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Anybody may call, so neither the flag nor the ID that a caller sends decides which requests are traced. */
function ownSampler(share: number): Sampler {
  const own: Sampler = {
    shouldSample: () => ({
      decision: Math.random() < share ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `share of ${share}`,
  };
  return new ParentBasedSampler({ root: own, remoteParentSampled: own, remoteParentNotSampled: own });
}

/** An exporter that says in the log when traces are lost. Nothing else depends on them. */
function reporting(exporter: SpanExporter, { problems }: TracerDeps): SpanExporter {
  const problem = problems.get('traces');
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) problem.end({});
        else problem.report('warn', { error: describeError(result.error) }, 'the collector took no traces');
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
