import type { DueWork } from '@/lib/ledger/due-work';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import { type Task, task } from '@/lib/platform/concurrency/task';
import type { Platform } from '@/lib/platform/platform';

/** The part of due work that is about settlements. */
type NetworkWork = Pick<DueWork, 'on'>;

/** Returns the tasks that settle queued charges and follow abandoned transactions, one for each network. */
export function settlementTasks(
  app: Pick<Platform, 'problems'>,
  networks: Pick<NetworkRegistry, 'all'>,
): Task<[NetworkWork]>[] {
  return networks.all().flatMap(({ network: { name }, settler }) => {
    // A remote server follows its own transactions.
    if (settler.kind !== 'evm' && settler.kind !== 'solana') return [];
    return task(app, `maintain settlements on ${name}`, (work: NetworkWork) =>
      settler.maintain(work.on(name)),
    );
  });
}
