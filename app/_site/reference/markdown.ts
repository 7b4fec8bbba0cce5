import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { codeSamples } from '@/lib/discovery/code-samples';
import { commonPath, referencePath } from '@/lib/discovery/contents';
import { charged, nextSteps } from '@/lib/discovery/llms';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { chargeWords, priceOf } from '../price';
import { onThisHost } from '../words';
import { requestFields, responseFields } from './call-fields';
import { type Call, errorsOf, routesOf } from './calls';
import { byStatus } from './error-table';
import type { Field } from './fields';

/** The page of a call as Markdown, for readers that are programs. */
export function callMarkdown(call: Call, site: SiteConfig): string {
  const routes = routesOf(call, site);
  const [sample] = codeSamples(call, routes[0]?.path ?? '', site);
  return `${[
    `# ${call.title}`,
    call.summary,
    `Price: ${priceOf(call)}. ${chargeWords(call, site)}`.trimEnd(),
    routes
      .map(({ rail, path, networks }) => {
        const how = [rail ?? '', networks.length > 0 ? `on ${networks.join(', ')}` : ''].filter(Boolean);
        return `- \`${call.method} ${path}\`${how.length > 0 ? `: ${how.join(' ')}` : ''}`;
      })
      .join('\n'),
    '## Request',
    ...requestFields(call).flatMap(({ title, fields }) => [`### ${title}`, fieldList(fields)]),
    ...(sample ? [fenced('sh', sample.source)] : []),
    `[Headers of all calls, payment and retries](${site.publicUrl}${commonPath}.md)`,
    '## Response',
    fieldList(responseFields(call)),
    fenced('json', onThisHost(JSON.stringify(call.example.output, null, 2), site.publicUrl)),
    '## Errors',
    errorTable(errorsOf(call)),
  ].join('\n\n')}\n`;
}

/** A list of calls as Markdown. */
export function callListMarkdown(title: string, calls: readonly Call[], site: SiteConfig): string {
  const lines = calls.map((call) => {
    const [route] = routesOf(call, site);
    const where = `${site.publicUrl}${referencePath(call)}.md`;
    return `- [${call.title}](${where}): \`${call.method} ${route?.path}\`, ${priceOf(call)}. ${call.summary}`;
  });
  return `# ${title}\n\n${lines.join('\n')}\n`;
}

/** Fields with their meaning, one below the other. */
export function fieldList(fields: readonly Field[], indent = ''): string {
  return fields
    .map((field) => {
      const { name, type, isRequired, description, format, rules, values, example, fields: inner } = field;
      const facts = [type, ...(isRequired ? ['required'] : []), ...(format ? [format] : []), ...rules];
      const words = [
        description,
        values.length > 0 ? `One of ${values.join(', ')}.` : '',
        example === null ? '' : `Example: \`${example}\``,
      ];
      const line =
        `${indent}- \`${name}\` (${facts.join('; ')}): ${words.filter(Boolean).join(' ')}`.trimEnd();
      return inner.length > 0 ? `${line}\n${fieldList(inner, `${indent}  `)}` : line;
    })
    .join('\n');
}

/** What happened, and what to do next, by code. */
export function errorTable(codes: readonly ErrorCode[]): string {
  const rows = byStatus(codes).map((code) => {
    const { status, message, payment, retry } = errors[code];
    return `| ${status} \`${code}\` | ${message.replaceAll('|', '\\|')} | ${charged[payment]} | ${nextSteps[retry]} |`;
  });
  return ['| Error | What happened | Charged? | Next |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** A fenced block whose fence does not occur in the text. */
function fenced(language: string, text: string): string {
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
