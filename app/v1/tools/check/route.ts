import { methods } from '@/app/_routes/methods';
import { dryRunRoute } from '@/lib/http/dry-run-route';
import { everyWork } from '@/lib/services';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: dryRunRoute(everyWork()) });
