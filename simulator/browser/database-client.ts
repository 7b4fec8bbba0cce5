/** Conditions that lib/ledger/stored-answer.ts writes down when it is loaded. There is no SQL here that would have them. */
export const Prisma = { sql: () => null };
