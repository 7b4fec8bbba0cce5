import { z } from 'zod';
import { decimalNumber, url } from './setting-rules';

/** `name=value,name=value`, with values percent-encoded (W3C Baggage), as OpenTelemetry defines it. */
const headers = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((pair) => /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([^\s]*)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => [
        pair?.[1]?.toLowerCase() ?? '',
        visible.parse(decodeURIComponent(pair?.[2] ?? '')),
      ]),
    );
  } catch {
    context.addIssue('must be headers such as name=value,other=value, with values percent-encoded');
    return z.NEVER;
  }
});

/** A value that a header can have. */
const visible = z.string().regex(/^[\x20-\x7e]+$/);

/** Under the names that OpenTelemetry gives them. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be a name of letters, digits, dots, hyphens and underscores')
    .default('tuppence'),
  OTEL_TRACES_SAMPLER_ARG: decimalNumber(0, 1).default(1),
};
