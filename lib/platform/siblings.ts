import type { ProcessReport } from '@/lib/platform/metrics/process-report';

/**
 * The other processes of this server, where PROCESSES is above 1 (lib/http/server/processes.ts). Messages about charges may be lost:
 * they only make a process look earlier at what it checks anyway.
 */
export interface Siblings {
  /** The number of this process among them, from 1. A process that replaces another takes its number. */
  readonly number: number;
  /** Tells the others that a paid request is under way here. */
  tellPaying(): void;
  /** Calls back whenever another process says this. */
  onPaying(listener: () => void): void;
  /** Tells the others that a charge on a network was queued for a process that has a settlement key. */
  tellQueued(network: string): void;
  onQueued(listener: (network: string) => void): void;
  /** Tells the others that the ledger has the outcome of a charge that one of them had queued. */
  tellSettled(network: string): void;
  onSettled(listener: (network: string) => void): void;
  /** Calls back when the parent process wants this one to end. */
  onStop(listener: () => void): void;
  /**
   * Collects the metrics of all processes, including those that were replaced. A process that does not answer in time is left
   * out.
   * @param own the report of this process
   */
  gatherReports(own: ProcessReport): Promise<readonly ProcessReport[]>;
  /** Calls back when another process collects reports. */
  onReportRequest(report: () => Promise<ProcessReport>): void;
}
