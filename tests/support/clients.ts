import { type Client, paying } from '@/lib/concurrency/fair-semaphore';

/** Any client, for tests where it does not matter which. */
export const someone: Client = paying('someone');
