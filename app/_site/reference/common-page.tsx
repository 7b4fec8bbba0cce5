import type { ReactNode } from 'react';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import { errorBody } from '@/lib/catalog/errors/schema';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import { paidErrors } from '@/lib/catalog/paid-errors';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { answerHeaders } from '@/lib/discovery/openapi/headers';
import { paymentRequired } from '@/lib/discovery/openapi/payment-answers';
import { Guide } from '../guide';
import type { Page } from '../page';
import { ErrorTable } from './error-table';
import { FieldList } from './field-list';
import { type Field, fieldsOf } from './fields';
import { errorTable, fieldList } from './markdown';
import { schemaOf } from './schema';

/** What all calls have in common, so that their own pages say only what is special about them. */

interface Section {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** Names of headers with their meaning, as Markdown. */
  readonly terms?: Readonly<Record<string, string>>;
  /** The title under which the terms are collapsed; left out where they are always shown. */
  readonly termsTitle?: string;
  readonly fields?: {
    readonly title: string;
    readonly anchor: string;
    readonly fields: readonly Field[];
  };
  readonly codes?: readonly ErrorCode[];
}

/** Errors that free calls can have, in addition to their own. */
const freeErrors: readonly ErrorCode[] = ['payment_required', 'rate_limited', 'internal_error'];

const { quota, windowSeconds } = rateLimits.freeCalls;

const sections: readonly Section[] = [
  {
    id: 'payment',
    title: 'Payment',
    text: `A paid call without a payment gets a 402 with the price on each network, and nothing is charged. Send the identical request
again with one of these headers:`,
    terms: {
      'PAYMENT-SIGNATURE':
        'x402: the signed payment, base64 of an x402 version 2 PaymentPayload. `X-PAYMENT` also works. [Paying with x402](/docs/paying-with-x402)',
      'Authorization: Payment':
        'MPP, on paths under `/v1/mpp/`: the credential for one of the challenges in `WWW-Authenticate`; `?network=` asks for one network’s challenge. [Paying with MPP](/docs/paying-with-mpp)',
      'Authorization: Bearer':
        'Prepaid account, on paths under `/v1/account/`: the account’s token. [Prepaid accounts](/docs/prepaid-accounts)',
      'SIGN-IN-WITH-X':
        'Not a payment: the signed message with which a wallet reads its own lists. [Wallet lists](/docs/wallet-lists)',
    },
    fields: {
      title: 'Fields of the 402 over x402',
      anchor: 'challenge.',
      fields: fieldsOf(schemaOf(paymentRequired, 'output')),
    },
  },
  {
    id: 'retries',
    title: 'Retries',
    text: `Send the identical request again, with the same payment, if its outcome is unknown: you get the response that was paid for, and are
not charged again. From a prepaid account, the key is required.`,
    terms: { 'Idempotency-Key': idempotencyKey.description ?? '' },
  },
  {
    id: 'lists',
    title: 'Lists',
    text: `Lists come in pages of \`limit\` entries. If \`nextCursor\` is not null, send it as \`cursor\` to get the next page.`,
  },
  {
    id: 'headers',
    title: 'Response headers',
    text: 'Every response has a `Request-Id`; a paid one has its receipt and a `Paid-Call-Id`.',
    termsTitle: 'All response headers',
    terms: Object.fromEntries(
      Object.entries(answerHeaders).map(([name, { description }]) => [name, description]),
    ),
  },
  {
    id: 'limits',
    title: 'Limits',
    text: `Free calls: ${quota} in ${windowSeconds} seconds for each client address. Above that, they get 429 \`rate_limited\` with
\`Retry-After\`. [All limits](/docs/limits)`,
  },
  {
    id: 'errors',
    title: 'Errors',
    text: 'Every error has the same body.',
    fields: {
      title: 'Fields of an error',
      anchor: 'error.',
      fields: fieldsOf(schemaOf(errorBody, 'output')),
    },
    codes: [...new Set([...freeErrors, ...Object.values(paidErrors).flat()])],
  },
];

export const commonPage: Page = {
  title: 'Common to all calls',
  description: 'Payment, retries, lists, headers, limits and errors of all calls.',
  headings: sections.map(({ id, title }) => ({ id, title, level: 2 })),
  body: () => (
    <div className="common">
      <h1>Common to all calls</h1>
      {sections.map((section) => (
        <CommonSection key={section.id} section={section} />
      ))}
    </div>
  ),
  markdown: () => `${['# Common to all calls', ...sections.map(markdownOf)].join('\n\n')}\n`,
};

function CommonSection({ section }: { section: Section }): ReactNode {
  const { id, title, text, terms, termsTitle, fields, codes } = section;
  return (
    <>
      <h2 id={id}>{title}</h2>
      <Guide name="reference/common" text={text} />
      {terms ? <Terms title={termsTitle} terms={terms} /> : null}
      {fields ? (
        <details>
          <summary>{fields.title}</summary>
          <FieldList fields={fields.fields} anchor={fields.anchor} isResponse />
        </details>
      ) : null}
      {codes ? <ErrorTable label="Errors that any call can have" codes={codes} isBrief /> : null}
    </>
  );
}

function Terms({ title, terms }: { title?: string; terms: Readonly<Record<string, string>> }): ReactNode {
  const list = (
    <dl className="parameters">
      {Object.entries(terms).map(([name, meaning]) => (
        <div className="parameter" key={name} id={name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            <Guide name="reference/common" text={meaning} />
          </dd>
        </div>
      ))}
    </dl>
  );
  if (title === undefined) return list;
  return (
    <details>
      <summary>{title}</summary>
      {list}
    </details>
  );
}

function markdownOf({ title, text, terms = {}, fields, codes }: Section): string {
  return [
    `## ${title}`,
    text,
    ...Object.entries(terms).map(([name, meaning]) => `- \`${name}\`: ${meaning}`),
    ...(fields ? [`### ${fields.title}`, fieldList(fields.fields)] : []),
    ...(codes ? [errorTable(codes)] : []),
  ].join('\n\n');
}
