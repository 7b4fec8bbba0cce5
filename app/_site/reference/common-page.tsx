import type { ReactNode } from 'react';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import { paidErrors } from '@/lib/catalog/paid-errors';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { answerHeaders } from '@/lib/discovery/openapi/headers';
import { paymentRequired } from '@/lib/discovery/openapi/payment-answers';
import type { ErrorCode } from '@/lib/errors/codes';
import { errorBody } from '@/lib/errors/schema';
import { ErrorTable } from './error-table';
import { FieldList, prose } from './field-list';
import { fieldsOf } from './fields';
import { schemaOf } from './schema';

/** Errors that free calls can have, in addition to their own. */
const freeErrors: readonly ErrorCode[] = ['payment_required', 'rate_limited', 'internal_error'];

const anyErrors: readonly ErrorCode[] = [...new Set([...freeErrors, ...Object.values(paidErrors).flat()])];

/** What all calls have in common, so that their own pages say only what is special about them. */
export function CommonPage(): ReactNode {
  return (
    <div className="common">
      <h1>Common to all calls</h1>
      <h2 id="payment">Payment</h2>
      <p>
        A paid call without a payment gets a 402 with the price on each network, and nothing is charged. Send
        the identical request again with one of these headers:
      </p>
      <Terms
        terms={{
          'PAYMENT-SIGNATURE': (
            <>
              x402: the signed payment, base64 of an x402 version 2 PaymentPayload. <code>X-PAYMENT</code>{' '}
              also works. <a href="/docs/paying-with-x402">Paying with x402</a>
            </>
          ),
          'Authorization: Payment': (
            <>
              MPP, on paths under <code>/v1/mpp/</code>: the credential for one of the challenges in{' '}
              <code>WWW-Authenticate</code>; <code>?network=</code> asks for one network’s challenge.{' '}
              <a href="/docs/paying-with-mpp">Paying with MPP</a>
            </>
          ),
          'Authorization: Bearer': (
            <>
              Prepaid account, on paths under <code>/v1/account/</code>: the account’s token.{' '}
              <a href="/docs/prepaid-accounts">Prepaid accounts</a>
            </>
          ),
          'SIGN-IN-WITH-X': (
            <>
              Not a payment: the signed message with which a wallet reads its own lists.{' '}
              <a href="/docs/wallet-lists">Wallet lists</a>
            </>
          ),
        }}
      />
      <details>
        <summary>Fields of the 402 over x402</summary>
        <FieldList fields={fieldsOf(schemaOf(paymentRequired, 'output'))} anchor="challenge." isResponse />
      </details>
      <h2 id="retries">Retries</h2>
      <p>
        Send the identical request again, with the same payment, if its outcome is unknown: you get the
        response that was paid for, and are not charged again. From a prepaid account, the key is required.
      </p>
      <Terms terms={{ 'Idempotency-Key': idempotencyKey.description ?? '' }} />
      <h2 id="lists">Lists</h2>
      <p>
        Lists come in pages of <code>limit</code> entries. If <code>nextCursor</code> is not null, send it as{' '}
        <code>cursor</code> to get the next page.
      </p>
      <h2 id="headers">Response headers</h2>
      <p>
        Every response has a <code>Request-Id</code>; a paid one has its receipt and a{' '}
        <code>Paid-Call-Id</code>.
      </p>
      <details>
        <summary>All response headers</summary>
        <Terms
          terms={Object.fromEntries(
            Object.entries(answerHeaders).map(([name, meaning]) => [name, prose(meaning)]),
          )}
        />
      </details>
      <h2 id="limits">Limits</h2>
      <p>
        Free calls: {rateLimits.freeCalls.quota} in {rateLimits.freeCalls.windowSeconds} seconds for each
        client address. Above that, they get 429 <code>rate_limited</code> with <code>Retry-After</code>.{' '}
        <a href="/docs/limits">All limits</a>
      </p>
      <h2 id="errors">Errors</h2>
      <p>Every error has the same body.</p>
      <details>
        <summary>Fields of an error</summary>
        <FieldList fields={fieldsOf(schemaOf(errorBody, 'output'))} anchor="error." isResponse />
      </details>
      <ErrorTable label="Errors that any call can have" codes={anyErrors} isBrief />
    </div>
  );
}

function Terms({ terms }: { terms: Readonly<Record<string, ReactNode>> }): ReactNode {
  return (
    <dl className="parameters">
      {Object.entries(terms).map(([name, meaning]) => (
        <div className="parameter" key={name} id={name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
