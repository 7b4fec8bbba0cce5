import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectError, expectUntouched } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { sendRaw } from '../support/raw';
import { buySlot, putFile, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/** Other spellings of the path, with the answers that serve nothing. */
const spellings = [
  '/v1/uploads/',
  '//v1/uploads',
  '/v1/%75ploads',
  '/v1/uploads/%2e%2e/uploads',
  '/_next/data/development/v1/uploads.json',
  '/V1/Uploads',
  '/v1//uploads',
  '/v1/./uploads',
  '/v1/x/../uploads',
  '/v1/uploads%2f',
  '/v1%2fuploads',
  '/v1/uploads/%2e',
  '/v1/%2e%2e/v1/uploads',
  '/v1/uploads;x=1',
  '/v1/uploads.json',
  '/v1/uploads?_rsc=1',
  '/v1/uploads?__nextDataReq=1',
  '/v1\\uploads',
];
const serveNothing = [307, 308, 400, 402, 404, 405];

for (const path of spellings) {
  test(`POST ${path} serves nothing unpaid`, async () => {
    const answer = await sendRaw({ method: 'POST', path, body: aFile().body });
    expect(serveNothing).toContain(answer.status);
    expect(await answer.text()).not.toMatch(/^\{"id":/);
  });
}

for (const path of ['/v1/uploads/', '//v1/uploads', '/v1/%75ploads', '/v1/uploads?x=1']) {
  test(`a payment at ${path} buys at most the operation it was signed for`, async () => {
    const wallet = await newEvmPayer();
    const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'));
    const pairs = ['PAYMENT-SIGNATURE', headers['PAYMENT-SIGNATURE']];
    const answer = await sendRaw({ method: 'POST', path, headers: pairs, body: aFile().body });
    expect([200, ...serveNothing]).toContain(answer.status);
    if (answer.status !== 200) await expectUntouched(wallet, 'base');
  });
}

for (const path of ['/v1/paid-calls/pc_%00', '/v1/paid-calls/%00/receipt', '/deposit/acct_%00', '/f/fm_%00'])
  test(`${path} is malformed, because no identifier has NUL in it`, async () => {
    await expectError(await sendRaw({ method: 'GET', path }), 'malformed_request');
  });

for (const image of ['/og.png', '/favicon.ico', 'https://example.com/x.png'])
  test(`the framework does not resize ${image} for anyone`, async () => {
    const path = `/_next/image?url=${encodeURIComponent(image)}&w=640&q=75`;
    expect((await sendRaw({ method: 'GET', path })).status).toBe(404);
  });

/** Headers that have tricked frameworks and proxies. */
const persuasions: readonly (readonly string[])[] = [
  ['x-middleware-subrequest', 'middleware:middleware:middleware:middleware:middleware'],
  ['x-middleware-subrequest', 'src/middleware:src/middleware:src/middleware:src/middleware:src/middleware'],
  ['x-middleware-rewrite', '/health'],
  ['x-nextjs-data', '1'],
  ['x-matched-path', '/health'],
  ['x-invoke-path', '/health'],
  ['x-invoke-status', '200'],
  ['RSC', '1'],
  ['Next-Router-Prefetch', '1'],
  ['Next-Action', '00'.repeat(20)],
  ['X-HTTP-Method-Override', 'GET'],
  ['X-HTTP-Method-Override', 'OPTIONS'],
  ['X-Method-Override', 'HEAD'],
  ['X-Original-URL', '/health'],
  ['X-Rewrite-URL', '/health'],
  ['X-Forwarded-Prefix', '/health'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Transfer-Encoding', 'chunked'],
  ['Authorization', 'Bearer anything'],
  ['Paid-Call-Id', 'pc_1'],
  ['Idempotency-Key', 'guess'],
];

for (const headers of persuasions) {
  test(`${headers.join(': ').slice(0, 60)} does not bypass payment`, async () => {
    const paths = ['/v1/uploads', '/v1/uploads/up_1/renew'];
    for (const path of paths) {
      // The front door passes requests with a credential on to the framework, so this tests the framework too.
      for (const more of [[], ['X-PAYMENT', 'nothing']]) {
        const answer = await sendRaw({ method: 'POST', path, headers: [...headers, ...more] });
        // The framework redirects requests for page data before it looks for a route.
        expect(headers[0] === 'RSC' ? [307, 402] : [402]).toContain(answer.status);
      }
    }
  });
}

for (const override of ['DELETE', 'GET', 'PUT']) {
  test(`X-HTTP-Method-Override: ${override} on a POST deletes and reads nothing`, async () => {
    const wallet = await newEvmPayer();
    const file = aFile();
    const slot = await buySlot(wallet, 'base', file);
    expect((await putFile(slot, file.bytes)).status).toBe(200);
    const path = `/v1/uploads/${slot.id}`;
    const header = paymentHeader(await envelopeFor(`${uploadsUrl()}/${slot.id}`, wallet, 'base', 'DELETE'));
    const headers = ['X-HTTP-Method-Override', override, 'X-PAYMENT', header['PAYMENT-SIGNATURE']];
    expect([404, 405]).toContain((await sendRaw({ method: 'POST', path, headers })).status);
    expect((await fetch(slot.publicUrl)).status).toBe(200);
  });
}

for (const [method, path] of [
  ['GET', '/v1/uploads'],
  ['PUT', '/v1/uploads'],
  ['PATCH', '/v1/uploads'],
  ['GET', '/v1/uploads/up_1'],
  ['PATCH', '/v1/uploads/up_1'],
  ['DELETE', '/v1/uploads'],
  ['POST', '/v1/uploads/up_1'],
  ['PUT', '/v1/uploads/up_1'],
  ['GET', '/v1/uploads/up_1/renew'],
  ['DELETE', '/v1/uploads/up_1/renew'],
  ['HEAD', '/v1/uploads'],
  ['PROPFIND', '/v1/uploads'],
  ['POST', '/v1/tools/prices'],
  ['DELETE', '/v1/paid-calls/pc_1'],
  ['POST', '/health'],
] as const) {
  test(`${method} ${path} is not allowed`, async () => {
    const answer = await sendRaw({ method, path, headers: ['X-PAYMENT', 'anything'] });
    expect([400, 404, 405]).toContain(answer.status);
  });
}

for (const path of ['/v1/nothing', '/v1/uploads/up_1/renew/more', '/v1/paid-calls']) {
  test(`${path} gets 404 for every method`, async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await sendRaw({ method, path, headers: ['X-PAYMENT', 'anything'] });
      await expectError(answer, 'not_found');
    }
  });
}
