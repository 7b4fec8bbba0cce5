import { z } from 'zod';
import { refusalOfUrl, type UrlRefusal } from '@/lib/platform/addresses/url';

const lengthMax = 2048;

const rules: Readonly<Record<UrlRefusal, string>> = {
  malformed:
    'must be an http or https URL such as https://example.com/page, without escapes or spaces in its host',
  credentials: 'must not contain a user name or password',
  port: 'must use port 80 or 443',
  not_public: 'must be on a public host, not a private or reserved name or address',
};

/**
 * A URL that a provider or our own reader opens for a caller. URLs that the reader would not connect to are rejected here,
 * before payment, by the same rules (lib/platform/addresses).
 */
export const publicUrl = z
  .string()
  .min(1)
  .max(lengthMax)
  .superRefine((text, context) => {
    const refusal = refusalOfUrl(text);
    if (refusal) context.addIssue({ code: 'custom', message: rules[refusal] });
  })
  .meta({
    format: 'uri',
    description: 'URL of a public page, http or https.',
    examples: ['https://docs.example.com/start'],
  });
