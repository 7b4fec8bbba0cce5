import { listChannels } from '@/lib/ledger/channel-list';
import type { WithDatabase } from '@/lib/platform/database/database';

/** What the page of payment channels calls. */
export const channelPages = (app: WithDatabase) => ({
  listChannels: (limit: number) => listChannels(app, limit),
});
