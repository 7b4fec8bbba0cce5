import { dryRunRoute } from '@/lib/http/dry-run-route';
import { everyWork } from '@/lib/operator/services';

export const POST = dryRunRoute(everyWork());
