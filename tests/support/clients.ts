import { type Client, paying } from '@/lib/concurrency/fair-semaphore';

/** A client for whom it does not matter who it is. */
export const someone: Client = paying('someone');
