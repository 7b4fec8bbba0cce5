import { type Client, paying } from '@/lib/platform/owners';

/** A client for tests in which it does not matter who calls. */
export const someone: Client = paying({ payer: 'someone', onlyOn: null });
