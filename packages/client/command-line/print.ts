import { z } from 'zod';
import type { ClientCommand } from '@/lib/catalog/client';

/** The response of a command, for people. It may contain text from strangers, so control characters are removed. */
export function printable(command: ClientCommand, output: unknown): string {
  const text = printers[command.name](output) ?? JSON.stringify(output, null, 2);
  return `${text.replaceAll(/[^\P{Cc}\n\t]/gu, '').trimEnd()}\n`;
}

/** A response as text; undefined if it does not have the expected shape. */
type Printer = (output: unknown) => string | undefined;

function printer<T extends z.ZodType>(shape: T, print: (output: z.output<T>) => string): Printer {
  return (output) => {
    const { success, data } = shape.safeParse(output);
    return success ? print(data) : undefined;
  };
}

function firstOf(...all: readonly Printer[]): Printer {
  return (output) => {
    for (const print of all) {
      const text = print(output);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

const link = printer(
  z.object({ publicUrl: z.string(), expiresAt: z.string() }),
  ({ publicUrl, expiresAt }) => `${publicUrl}\nexpires ${expiresAt}`,
);

const renewal = printer(
  z.looseObject({ id: z.string(), expiresAt: z.string() }),
  ({ id, expiresAt }) => `${id}\nexpires ${expiresAt}`,
);

const deletion = printer(z.looseObject({ id: z.string() }), ({ id }) => `${id} is deleted.`);

const responses = printer(
  z.looseObject({
    responses: z.array(
      z.looseObject({ id: z.string(), submittedAt: z.string(), answers: z.record(z.string(), z.unknown()) }),
    ),
    nextCursor: z.string().nullish(),
  }),
  ({ responses: given, nextCursor }) => {
    const texts = given.map(({ id, submittedAt, answers }) =>
      [
        `${id} ${submittedAt}`,
        ...Object.entries(answers).map(([question, answer]) => `  ${question}: ${inWords(answer)}`),
      ].join('\n'),
    );
    const more = nextCursor ? `\nnext cursor ${nextCursor}` : '';
    return `${texts.join('\n') || 'There are no responses yet.'}${more}`;
  },
);

const inWords = (answer: unknown): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));

const airports = printer(
  z.looseObject({
    airports: z.array(z.looseObject({ iataCode: z.string(), name: z.string(), city: z.string().nullish() })),
  }),
  ({ airports: found }) =>
    found.map(({ iataCode, name, city }) => [iataCode, name, city].filter(Boolean).join(', ')).join('\n') ||
    'No airport was found.',
);

const balance = printer(
  z.looseObject({ balance: z.string(), depositUrl: z.string() }),
  ({ balance: left, depositUrl }) => `${left} USDC\nadd money at ${depositUrl}`,
);

const form = printer(
  z.object({ url: z.string(), responsesUrl: z.string(), readToken: z.string(), closesAt: z.string() }),
  ({ url, responsesUrl, readToken, closesAt }) =>
    `${url}\nanswers ${responsesUrl}\nread token ${readToken}\ncloses ${closesAt}`,
);

/** A search result, under the field names of each provider. */
const found = z.looseObject({
  title: z.string().nullish(),
  url: z.string().optional(),
  link: z.string().optional(),
  imageUrl: z.string().optional(),
  price: z.string().optional(),
  snippet: z.string().optional(),
  summary: z.string().optional(),
});

function listing(pages: readonly z.output<typeof found>[]): string {
  const entries = pages.map(({ title, url, link: address, imageUrl, price, snippet, summary }, index) =>
    [`${index + 1}. ${title ?? ''}`, imageUrl ?? url ?? address, price, summary ?? snippet]
      .filter(Boolean)
      .join('\n   '),
  );
  return entries.join('\n') || 'Nothing was found.';
}

const pages = z.array(found);

const search = firstOf(
  printer(
    z.looseObject({ answer: z.string(), citations: pages }),
    ({ answer, citations }) => `${answer}\n\n${listing(citations)}`,
  ),
  printer(z.looseObject({ results: pages }), ({ results }) => listing(results)),
  ...(['organic', 'news', 'images', 'shopping'] as const).map((field) =>
    printer(z.looseObject({ [field]: pages }), (output) => listing(pages.parse(output[field]))),
  ),
);

const text = firstOf(
  printer(z.looseObject({ data: z.looseObject({ markdown: z.string() }) }), ({ data }) => data.markdown),
  printer(
    z.looseObject({
      results: z.array(z.looseObject({ url: z.string(), text: z.string() })),
      statuses: z.array(z.looseObject({ id: z.string(), status: z.string() })).default([]),
    }),
    ({ results, statuses }) =>
      [
        ...results.map((page) => `${page.url}\n\n${page.text}`),
        ...statuses
          .filter(({ status }) => status !== 'success')
          .map(({ id }) => `${id}\n\nThis page could not be read.`),
      ].join('\n\n'),
  ),
);

const segmentEnd = z.looseObject({ airportCode: z.string().optional(), at: z.string().optional() });
const offers = z.looseObject({
  results: z.array(
    z.looseObject({
      id: z.string(),
      totalPrice: z.string(),
      currency: z.string(),
      airlineCodes: z.array(z.string()),
      itineraries: z.array(
        z.looseObject({
          numberOfStops: z.number(),
          segments: z.array(z.looseObject({ departure: segmentEnd, arrival: segmentEnd })),
        }),
      ),
    }),
  ),
});

const flights = printer(offers, ({ results }) => {
  const lines = results.map(({ id, totalPrice, currency, airlineCodes, itineraries }) => {
    const journeys = itineraries.map(({ numberOfStops, segments }) => {
      const [from, to] = [segments[0]?.departure, segments.at(-1)?.arrival];
      const stops = numberOfStops === 0 ? 'non-stop' : `${numberOfStops} stops`;
      return `  ${from?.airportCode} ${from?.at} - ${to?.airportCode} ${to?.at}, ${stops}`;
    });
    return [`${totalPrice} ${currency} ${airlineCodes.join(', ')} ${id}`, ...journeys].join('\n');
  });
  return lines.join('\n') || 'No offers were found.';
});

const printers: Readonly<Record<ClientCommand['name'], Printer>> = {
  upload: link,
  renew: renewal,
  delete: deletion,
  pdf: link,
  form,
  responses,
  search,
  read: text,
  airports,
  flights,
  balance,
  // All of its fields, as JSON.
  call: () => undefined,
};
