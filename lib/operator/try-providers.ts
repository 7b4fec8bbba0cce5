import { z } from 'zod';
import type { DeclaredJob } from '@/lib/jobs/jobs';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { findProvider, type Provider, type RemoteName } from '@/lib/platform/upstream/providers';
import { callDuffel } from '@/lib/services/flights/duffel/call-duffel';
import { callExa } from '@/lib/services/research/exa/call-exa';
import { callFirecrawl } from '@/lib/services/research/firecrawl';
import { callSearxng } from '@/lib/services/research/searxng/call-searxng';
import { callSerper } from '@/lib/services/research/serper';

interface TryDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

/** One call of a provider, as cheap as there is, and what its response must have. */
interface Trial {
  readonly what: string;
  readonly call: (app: TryDeps) => Promise<unknown>;
  readonly expected: z.ZodType;
}

/** What a trial found. `differences` is empty if the provider answered as we expect. */
export interface TrialResult {
  readonly provider: RemoteName;
  readonly what: string;
  readonly isSandbox: boolean;
  readonly differences: readonly string[];
}

const text = z.string();
const timeoutMs = 30_000;

const trials: Readonly<Record<RemoteName, Trial>> = {
  exa: {
    what: 'a search with one result',
    call: (app) => callExa(app, '/search', { query: 'example domain', type: 'auto', numResults: 1 }),
    expected: z.object({ results: z.tuple([z.object({ url: text, title: text.nullable() })]) }),
  },
  firecrawl: {
    what: 'a page of one credit',
    call: (app) =>
      callFirecrawl(
        app,
        '/v2/scrape',
        {
          url: 'https://example.com/',
          formats: ['markdown'],
          timeout: 20_000,
          parsers: [],
          skipTlsVerification: false,
        },
        timeoutMs,
      ),
    expected: z.object({
      data: z.object({
        markdown: text,
        metadata: z.object({ statusCode: z.literal(200), contentType: text }),
      }),
    }),
  },
  serper: {
    what: 'a search of one credit',
    call: (app) => callSerper(app, 'search', { q: 'example domain', num: 10, page: 1 }),
    expected: z.object({
      organic: z.array(z.object({ title: text, link: text, position: z.number() })).min(1),
    }),
  },
  searxng: {
    what: 'a search',
    call: (app) => callSearxng(app, { q: 'example domain', category: 'general', page: 1, wanted: 1 }),
    expected: z.object({ results: z.array(z.object({ url: text, title: text })).min(1) }),
  },
  duffel: {
    what: 'a look-up of an offer that does not exist, which is free',
    call: findNoOffer,
    expected: z.literal('not found'),
  },
};

/** Duffel says that there is no such offer, which shows that it takes the key and our version of its API. */
async function findNoOffer(app: TryDeps): Promise<unknown> {
  const path = '/air/offers/off_0000000000000000000000';
  try {
    return await callDuffel(app, { method: 'GET', path, timeoutMs, hasCallersId: true });
  } catch (error) {
    if (error instanceof UpstreamFailure && error.kind === 'rejected') return 'not found';
    throw error;
  }
}

/** Calls every configured provider once with the operator's key. This costs about a cent in all. */
export async function* tryProviders(
  app: TryDeps,
  isWanted: (provider: Provider) => boolean = () => true,
): AsyncGenerator<TrialResult> {
  for (const [name, trial] of Object.entries(trials)) {
    // The table has every provider, and nothing else.
    const provider = name as RemoteName;
    const found = findProvider(app, provider);
    if (!found || !isWanted(found)) continue;
    const differences = await differencesOf(trial, app);
    yield { provider, what: trial.what, isSandbox: found.isSandbox, differences };
  }
}

/** Calls every provider that has a live key once (a SearXNG has none), and raises an alarm for each that does not answer as expected. */
export async function probeProviders(app: TryDeps & Pick<Platform, 'log'>): Promise<void> {
  if (!app.settings.PROBE_PROVIDERS) return;
  for await (const { provider, differences } of tryProviders(
    app,
    ({ name, isSandbox }) => !isSandbox && name !== 'searxng',
  ))
    if (differences.length > 0)
      app.log.error({ provider, differences }, 'ALARM: a provider does not answer as expected');
}

export const providersJob: DeclaredJob = {
  name: 'probe-providers',
  everyMs: ({ probeProvidersMs }) => probeProvidersMs,
  isOnlyOnTicks: true,
  run: (app) => probeProviders(app),
};

async function differencesOf({ call, expected }: Trial, app: TryDeps): Promise<string[]> {
  try {
    const { error } = expected.safeParse(await call(app));
    return error?.issues.map(({ path, message }) => `${path.join('.') || 'the response'}: ${message}`) ?? [];
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return [wordsFor(error)];
  }
}

function wordsFor({ kind, reason, status }: UpstreamFailure): string {
  const told = status === null ? reason : `${reason}, status ${status}`;
  switch (kind) {
    case 'account':
      return `it does not take our key, or the credit is used up (${told})`;
    case 'plan':
      return `the plan does not allow this call (${told})`;
    case 'incompatible':
    case 'rejected':
      return `it does not take the request that this version sends (${told})`;
    case 'limited':
      return `it limits our calls (${told})`;
    case 'unreachable':
      return `there is no connection to it (${told})`;
    case 'failed':
      return `it failed, or its response is of no use (${told})`;
  }
}
