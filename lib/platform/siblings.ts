import type { ProcessReport } from '@/lib/metrics/report';

/**
 * The other processes of this server, where PROCESSES is above 1 (lib/server/processes.ts). Messages about charges may be
 * lost: they only let a process look sooner at what it looks at anyway.
 */
export interface Siblings {
  /** The number of this process among them, from 1. A process that replaces another one gets its number. */
  readonly number: number;
  /** Tells the others that a paid request is under way here. */
  tellPaying(): void;
  /** Calls back whenever another one tells so. */
  onPaying(listener: () => void): void;
  /** Tells the others that a charge on a network was queued for one that has a settlement key. */
  tellQueued(network: string): void;
  onQueued(listener: (network: string) => void): void;
  /** Tells the others that a charge which one of them had queued has its outcome in the ledger. */
  tellSettled(network: string): void;
  onSettled(listener: (network: string) => void): void;
  /** Calls back when the parent process wants this one to end. */
  onStop(listener: () => void): void;
  /**
   * Collects what all processes have counted, and those that were replaced. One that does not answer in time is left out.
   * @param own the report of this process
   */
  gatherReports(own: ProcessReport): Promise<readonly ProcessReport[]>;
  /** Calls back when another one collects them. */
  onReportRequest(report: () => Promise<ProcessReport>): void;
}
