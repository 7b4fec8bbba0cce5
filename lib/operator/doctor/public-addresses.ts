import { randomBytes } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { operations } from '@/lib/catalog';
import { prices } from '@/lib/catalog/free';
import type { Operation } from '@/lib/catalog/operation';
import { uploadLimits } from '@/lib/catalog/uploads';
import { isJsonObject, parseJson } from '@/lib/platform/json';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { type Finding, failed, ok, skipped, warning } from './finding';

const answerMs = 5_000;
/** Of a request header that still reaches the server, which reads 32 KB in all. */
const longHeaderBytes = 24 * 1024;
/** More than there are servers that count separately behind one address, usually. */
const countedRequests = 8;

const unreached = 'Start the server, then check the DNS entry, the certificate and the proxy.';

/**
 * Asks at both public addresses what callers ask there, and finds what a proxy in between cuts off, refuses or gives away.
 * Nothing is bought.
 */
export async function checkPublicAddresses(app: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const [api, files] = await Promise.all([checkApi(app), checkFiles(app)]);
  return [...api, ...files];
}

async function checkApi(app: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const about = 'PUBLIC_URL';
  const { PUBLIC_URL } = app.settings;
  const reached = await checkReached(about, `${PUBLIC_URL}/health`, [200]);
  if (reached) return [reached];
  const problems = (
    await Promise.all([
      checkChallenges(app),
      checkLongHeader(PUBLIC_URL),
      checkHidden(app),
      checkProxies(app),
    ])
  ).flat();
  const isFine = !problems.some((found) => found.about === about && found.status !== 'skipped');
  return isFine
    ? [ok(about, 'the server responds there, and its challenges arrive whole'), ...problems]
    : problems;
}

async function checkFiles({ settings }: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const about = 'FILES_URL';
  const { FILES_URL } = settings;
  // The API answers this path with 200, and the origin of files with 404.
  const reached = await checkReached(about, `${FILES_URL}/health`, [404]);
  if (reached) return [reached];
  const size = await checkUploadSize(`${FILES_URL}/health`);
  return [size ?? ok(about, 'the server responds there')];
}

/** A finding unless our server, and nothing else, responds with one of these statuses. */
async function checkReached(
  about: string,
  url: string,
  expected: readonly number[],
): Promise<Finding | null> {
  try {
    const { status, headers } = await ask(url);
    if (about === 'FILES_URL' && status === 200 && headers.has('request-id'))
      return failed(
        about,
        'the API answers there instead of the files, which come from strangers',
        'Let the proxy pass on the Host header, by which the server tells the two apart.',
      );
    if (!expected.includes(status)) return warning(about, `${url} responds with ${status}`, unreached);
    // Every response of the server has it.
    if (headers.has('request-id')) return null;
    return warning(about, `something else than this server responds at ${url}`, unreached);
  } catch (error) {
    return warning(about, `nothing responds at ${url}: ${reasonOf(error)}`, unreached);
  }
}

/** An unpaid call on each rail, whose challenge is a header that is longer than many proxies let through. */
async function checkChallenges(app: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const operation = operations.find(
    (one) =>
      one.method === 'POST' && !one.variablePrice && one.paths.x402 && one.paths.mpp && isAvailable(app, one),
  );
  if (!operation) return [];
  const rails = [
    { path: pathOf(operation, 'x402'), header: 'PAYMENT-REQUIRED', isWhole: isWholeChallenge },
    {
      path: pathOf(operation, 'mpp'),
      header: 'WWW-Authenticate',
      isWhole: (value: string) => /^Payment .*"$/.test(value),
    },
  ];
  const found = await Promise.all(
    rails.map(({ path, header, isWhole }) =>
      checkChallenge(`${app.settings.PUBLIC_URL}${path}`, header, isWhole),
    ),
  );
  return found.filter((one) => one !== null);
}

const pathOf = ({ paths }: Operation, rail: 'x402' | 'mpp') => paths[rail] ?? '';

async function checkChallenge(
  url: string,
  header: string,
  isWhole: (value: string) => boolean,
): Promise<Finding | null> {
  const about = 'PUBLIC_URL';
  const { pathname } = new URL(url);
  const advice =
    'Let the proxy pass on response headers of 64 KB (nginx: proxy_buffer_size, proxy_buffers and proxy_busy_buffers_size, as in ' +
    'deploy/nginx.conf).';
  try {
    const { status, headers } = await ask(url, { method: 'POST' });
    const value = headers.get(header) ?? '';
    if (status === 402 && isWhole(value)) return null;
    if (status === 402)
      return failed(
        about,
        `the 402 of ${pathname} arrives ${value === '' ? 'without' : 'with a part of'} its header ${header}, so nobody can pay`,
        advice,
      );
    if (!headers.has('request-id'))
      return failed(
        about,
        `the proxy answers an unpaid call of ${pathname} with ${status}, so nobody can pay`,
        advice,
      );
    const ready = 'See /health/ready, which says whether a network is offered.';
    return warning(about, `an unpaid call of ${pathname} gets ${status} instead of 402`, ready);
  } catch (error) {
    return failed(about, `an unpaid call of ${pathname} gets no response: ${reasonOf(error)}`, advice);
  }
}

/** Whether a header is base64 of the JSON of a challenge, which it would not be if its end were missing. */
function isWholeChallenge(value: string): boolean {
  const challenge = parseJson(Buffer.from(value, 'base64').toString());
  return isJsonObject(challenge) && 'accepts' in challenge;
}

/** Payments are headers, longer than the 4 or 8 KB that many proxies allow. */
async function checkLongHeader(publicUrl: string): Promise<Finding[]> {
  const about = 'PUBLIC_URL';
  const headers = { 'X-Doctor': 'x'.repeat(longHeaderBytes) };
  const outcome = await ask(`${publicUrl}/health`, { headers }).then(
    ({ status }) => (status === 200 ? null : `gets ${status}`),
    (error: unknown) => `gets no response: ${reasonOf(error)}`,
  );
  if (outcome === null) return [];
  return [
    failed(
      about,
      `a request with a header of ${longHeaderBytes / 1024} KB ${outcome}, and payments are sent in headers`,
      'Let the proxy accept request headers of 32 KB (nginx: large_client_header_buffers 4 32k).',
    ),
  ];
}

/** What is for operators should not be reached from outside, even though it needs a token. */
async function checkHidden({ settings }: Pick<Platform, 'settings'>): Promise<Finding[]> {
  // Without a proxy, nobody outside of this machine reaches it.
  if (isUnproxied(settings.PUBLIC_URL)) return [];
  const found = await Promise.all(
    ['/metrics', '/internal/cron'].map(async (path) => {
      const answer = await ask(`${settings.PUBLIC_URL}${path}`).catch(() => null);
      // 404 is what the server says where no token is set.
      const isReached = answer !== null && answer.status !== 404 && answer.headers.has('request-id');
      if (!isReached) return ok(path, 'it cannot be reached at PUBLIC_URL');
      const message = 'it can be reached at PUBLIC_URL, where anybody may try tokens';
      return warning(path, message, `Let the proxy answer ${path} with 404.`);
    }),
  );
  return found;
}

/**
 * Whether a client that invents an address in X-Forwarded-For is taken for another client. Each of these requests invents
 * another one; if the server believes them, none of them counts for the rate limit of an earlier one.
 */
async function checkProxies({ settings }: Pick<Platform, 'settings'>): Promise<Finding[]> {
  const about = 'TRUSTED_PROXIES';
  const { PUBLIC_URL, TRUSTED_PROXIES } = settings;
  if (TRUSTED_PROXIES === 0) return [];
  const left: number[] = [];
  for (let count = 0; count < countedRequests; count += 1) {
    const invented = `198.18.${[...randomBytes(2)].join('.')}`;
    const headers = { 'X-Forwarded-For': Array(TRUSTED_PROXIES).fill(invented).join(', ') };
    const answer = await ask(`${PUBLIC_URL}${prices.path}`, { headers }).catch(() => null);
    const [, remaining] = /\br=(\d+)/.exec(answer?.headers.get('ratelimit') ?? '') ?? [];
    if (remaining === undefined) return [skipped(about, 'responses have no rate limits to tell by')];
    left.push(Number(remaining));
    if (left[0] !== left.at(-1)) return [ok(about, 'an address that a client invents is not believed')];
  }
  return [
    warning(
      about,
      `it is ${TRUSTED_PROXIES}, and the server believes an address that a client invents, so nobody is held to a rate limit`,
      'Set it to the number of proxies in front of the server, and let the first of them set X-Forwarded-For or add to it.',
    ),
  ];
}

/**
 * Announces the largest file and sends none of it: a proxy that does not allow its size says so before the body.
 * @returns the problem, if there is one
 */
function checkUploadSize(url: string): Promise<Finding | null> {
  const problem = (what: string) =>
    failed(
      'FILES_URL',
      `an upload of 10 MiB ${what}`,
      'Let the proxy accept bodies of 12 MB (nginx: client_max_body_size 12m).',
    );
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = { 'Content-Length': String(uploadLimits.sizeBytesMax), Expect: '100-continue' };
    const request = send(url, { method: 'PUT', headers, timeout: answerMs });
    const end = (finding: Finding | null) => {
      resolve(finding);
      request.destroy();
    };
    request.once('continue', () => end(null));
    request.once('response', ({ statusCode, headers: answered }) =>
      end(statusCode === 413 && !answered['request-id'] ? problem('is refused by the proxy with 413') : null),
    );
    // Ended here, or a proxy that waits for the body.
    request.once('timeout', () => end(null));
    request.once('error', () => end(null));
    request.flushHeaders();
  });
}

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerMs), ...init });
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return describeError(cause).message || describeError(error).message;
}

const isUnproxied = (url: string) => /^http:\/\/(localhost|127\.|\[::1\])/.test(url);
