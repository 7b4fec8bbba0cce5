import { hourMs } from '@/lib/platform/durations';
import type { CommandContext } from './command';

/** Whole tables are read, so the statement time limit of a server is too short. */
const statementMs = hourMs;

/** The settings, with time for statements that read whole tables. */
export function withPatience(env: CommandContext['env']): CommandContext['env'] {
  if (!URL.canParse(env.DATABASE_URL ?? '')) return env;
  const url = new URL(env.DATABASE_URL ?? '');
  url.searchParams.set('query_timeout', String(statementMs));
  return { ...env, DATABASE_URL: url.href };
}
