import type { Payments } from '@/lib/payments/app-payments';
import { type Task, task } from '@/lib/platform/concurrency/task';
import type { Platform } from '@/lib/platform/platform';

interface SettleForSiblingsDeps extends Pick<Platform, 'problems' | 'siblings'> {
  readonly payments: Payments;
}

/**
 * Settles charges as soon as another process on this machine says that it has queued them, instead of at the next poll.
 * @returns a function that ends this and waits for what is under way
 */
export function settleForSiblings(app: SettleForSiblingsDeps): () => Promise<void> {
  let isStopped = false;
  const tasks = app.payments.networks.all().flatMap(({ network, settler }): Task<[]>[] => {
    // Only charges on EVM networks are queued, because one process at a time has a key.
    if (settler.kind !== 'evm') return [];
    let isTold = false;
    const settleQueued = task(app, `settle queued charges on ${network.name}`, async () => {
      // A charge that was queued during a run may have come too late for it.
      while (isTold && !isStopped) {
        isTold = false;
        await settler.settleQueued();
      }
    });
    app.siblings?.onQueued((name) => {
      if (name !== network.name || isStopped) return;
      isTold = true;
      void settleQueued.run();
    });
    return [settleQueued];
  });
  return async () => {
    isStopped = true;
    await Promise.all(tasks.map((one) => one.end()));
  };
}
