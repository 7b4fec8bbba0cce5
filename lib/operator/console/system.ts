import type { ProviderName } from '@/lib/catalog/providers';
import type { Job } from '@/lib/jobs/jobs';
import type { PausedOperation, PausedOperations } from '@/lib/ledger/paused-operations';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { findProvider, hasReader } from '@/lib/platform/upstream/providers';
import { withheldOperations } from '@/lib/platform/upstream/withheld-operations';

/** The state of what the service depends on, as this process and the database know it now. */
export interface SystemStatus {
  readonly networks: readonly { readonly name: string; readonly problems: readonly string[] }[];
  readonly providers: readonly ProviderStatus[];
  /** The operations that are paused because too many of their calls wait for the operator. */
  readonly paused: readonly PausedOperation[];
  /** The operations that this process refuses, or tries one call at a time, because their provider fails. */
  readonly withheld: readonly string[];
  readonly store: { readonly kind: string; readonly isUsable: boolean };
  readonly jobs: readonly JobStatus[];
  readonly processes: readonly ProcessStatus[];
}

export interface ProviderStatus {
  readonly name: ProviderName;
  readonly isConfigured: boolean;
  /** Whether its key is a test key, so that its answers are fictional. */
  readonly isSandbox: boolean;
  /** For how much longer this process does not call it, because it refused us or cannot be reached; 0 when it does. */
  readonly pausedForMs: number;
}

export interface JobStatus {
  readonly name: string;
  /** How often it runs. */
  readonly everyMs: number;
  /** When it may run next; null when no process with jobs has started yet. */
  readonly dueAt: Date | null;
  /** Whether it should have run long ago. A job is only started when there may be work for it, or when its time has come. */
  readonly isLate: boolean;
}

export interface ProcessStatus {
  readonly id: string;
  readonly machine: string | null;
  readonly aliveUntil: Date;
  readonly isAlive: boolean;
  /** The networks for which it has a settlement key. */
  readonly settles: readonly string[];
}

const providerNames: readonly ProviderName[] = ['exa', 'firecrawl', 'serper', 'searxng', 'reader', 'duffel'];

/** After this many periods a job that always runs is late. */
const latePeriods = 5;
const processesShown = 100;

interface DependenciesDeps extends WithUpstream, Pick<WithStore, 'storeHealth'>, Pick<Platform, 'settings'> {
  readonly payments: Payments;
  readonly pausedOperations: PausedOperations;
}

/** What this process knows of networks, providers and the file store. */
export function readDependencies(app: DependenciesDeps): Omit<SystemStatus, 'jobs' | 'processes'> {
  const { networks } = app.payments;
  return {
    networks: networks.all().map(({ network: { name } }) => ({ name, problems: networks.problems(name) })),
    providers: providerNames.map((name) => providerStatus(app, name)),
    paused: app.pausedOperations.all,
    withheld: withheldOperations(app),
    store: { kind: app.settings.STORAGE, isUsable: app.storeHealth.isUsable },
  };
}

interface ProviderStatusDeps extends WithUpstream, Pick<Platform, 'settings'> {}

function providerStatus(app: ProviderStatusDeps, name: ProviderName): ProviderStatus {
  const pausedForMs = app.circuitBreakers.openForMs(name);
  if (name === 'reader') return { name, isConfigured: hasReader(app), isSandbox: false, pausedForMs };
  const provider = findProvider(app, name);
  return { name, isConfigured: provider !== null, isSandbox: provider?.isSandbox ?? false, pausedForMs };
}

interface ReadJobsDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'timings'> {
  readonly jobs: readonly Job[];
}

export async function readJobs(app: ReadJobsDeps): Promise<JobStatus[]> {
  const schedules = await app.db.turn.findMany();
  return app.jobs.map((job) => {
    const everyMs = job.everyMs(app.timings.jobs);
    const dueAt = schedules.find(({ job: name }) => name === job.name)?.dueAt ?? null;
    const lateMs = dueAt === null ? Number.POSITIVE_INFINITY : app.clock.now() - dueAt.getTime();
    // A job that waits for work to do is not late while there is none.
    const isLate = job.isNeeded === undefined && lateMs > latePeriods * everyMs;
    return { name: job.name, everyMs, dueAt, isLate };
  });
}

interface ReadProcessesDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

export async function readProcesses(app: ReadProcessesDeps): Promise<ProcessStatus[]> {
  const rows = await app.db.instance.findMany({ orderBy: { aliveUntil: 'desc' }, take: processesShown });
  return rows.map(({ id, machine, aliveUntil, settles }) => {
    const isAlive = aliveUntil.getTime() > app.clock.now();
    return { id, machine, aliveUntil, isAlive, settles };
  });
}
