import { readdirSync, readFileSync } from 'node:fs';
import type { Rig } from '@/tests/recovery/rig/rig';

/** The figures that are measured, with their names in the report and how much each may grow. */
export const figures = {
  memoryMiB: { title: 'Memory of the server', unit: 'MiB', growsAtMost: { share: 0.1, amount: 10 } },
  handles: { title: 'Open files and sockets', unit: '', growsAtMost: { share: 0.1, amount: 10 } },
  threads: { title: 'Threads', unit: '', growsAtMost: { share: 0, amount: 2 } },
  childMiB: { title: 'Memory of its browsers', unit: 'MiB', growsAtMost: { share: 0.2, amount: 50 } },
  children: { title: 'Processes of its browsers', unit: '', growsAtMost: { share: 0, amount: 4 } },
  connections: { title: 'Connections to the database', unit: '', growsAtMost: { share: 0, amount: 2 } },
  temporaryFiles: { title: 'Temporary files', unit: '', growsAtMost: { share: 0.2, amount: 10 } },
  openCalls: { title: 'Paid calls that are not finished', unit: '', growsAtMost: { share: 0.5, amount: 10 } },
  deadShare: {
    title: 'Dead rows for each hundred in use',
    unit: '%',
    growsAtMost: { share: 0.2, amount: 10 },
  },
  bytesPerCall: { title: 'Database for each paid call', unit: 'KiB', growsAtMost: { share: 0.1, amount: 1 } },
} as const;

export type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as FigureName[];

/** All figures at one point in time. */
export type Sample = Readonly<Record<FigureName, number>> & {
  /** Seconds since the load began. */
  readonly seconds: number;
  /** The number of paid calls in the ledger. */
  readonly calls: number;
};

/** The server that is measured. */
export interface Subject {
  readonly rig: Pick<Rig, 'query'>;
  readonly pid: number;
  /** The folder for temporary files of the server and its browsers. */
  readonly temporary: string;
}

const mib = 1_024;

/** Measures a server from the outside, with what the operating system and the database know about it. */
export async function sample(
  { rig, pid, temporary }: Subject,
  seconds: number,
  databaseBytesBefore: number,
): Promise<Sample> {
  const children = descendants(pid);
  const [row] = await rig.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()) AS connections,
       (SELECT count(*)::int FROM paid_call) AS calls,
       (SELECT count(*)::int FROM paid_call WHERE state IN ('settling', 'settled', 'unknown')) AS "openCalls",
       sum(n_dead_tup)::float AS dead, sum(n_live_tup)::float AS live, pg_database_size(current_database())::float AS bytes
     FROM pg_stat_user_tables`,
  );
  const { connections = 0, calls = 0, openCalls = 0, dead = 0, live = 0, bytes = 0 } = row ?? {};
  return {
    seconds,
    calls,
    memoryMiB: residentKiB(pid) / mib,
    handles: count(`/proc/${pid}/fd`),
    threads: count(`/proc/${pid}/task`),
    childMiB: children.reduce((sum, child) => sum + residentKiB(child), 0) / mib,
    children: children.length,
    connections,
    temporaryFiles: countFiles(temporary),
    openCalls,
    deadShare: (100 * dead) / Math.max(1, live),
    bytesPerCall: (bytes - databaseBytesBefore) / mib / Math.max(1, calls),
  };
}

function residentKiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0);
}

/**
 * All descendants of a process, without those that have exited: without a zygote, Chromium reaps its renderers only when it
 * exits itself, which is after 200 documents at the latest (lib/platform/chromium/browser-pool.ts).
 */
function descendants(pid: number): number[] {
  const tasks = list(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/children`);
  const own = tasks.flatMap((file) => readIfThere(file).split(' ').filter(Boolean).map(Number));
  const alive = own.filter((child) => !/^State:\s+Z/m.test(readIfThere(`/proc/${child}/status`)));
  return alive.flatMap((child) => [child, ...descendants(child)]);
}

function count(folder: string): number {
  return list(folder).length;
}

function countFiles(folder: string): number {
  return list(folder, { recursive: true }).length;
}

/** Processes and their files may come and go while they are being read. */
function list(folder: string, options: { recursive?: boolean } = {}): string[] {
  try {
    return readdirSync(folder, { ...options, encoding: 'utf8' });
  } catch {
    return [];
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
