import type { OperatorApp } from '../operator-app';
import { type Finding, failed, ok, skipped } from './finding';

/** Reports the operations that are paused because too many of their calls wait for the operator. */
export async function checkWorklist({ pausedOperations, settings }: OperatorApp): Promise<Finding[]> {
  const about = `WORKLIST_LIMIT=${settings.WORKLIST_LIMIT}`;
  try {
    await pausedOperations.refresh();
  } catch {
    return [skipped(about, 'the worklist cannot be read')];
  }
  const paused = pausedOperations.all;
  if (paused.length === 0) return [ok(about, 'no operation is paused')];
  return paused.map(({ operation, calls }) =>
    failed(
      about,
      `${operation} is not sold, because ${calls} of its paid calls could not be delivered`,
      'Run tuppence worklist, remove the cause, and refund the calls. Sales continue by themselves then.',
    ),
  );
}
