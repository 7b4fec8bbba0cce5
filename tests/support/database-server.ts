/** Names the database server of this run, for the workers. */
export const databaseVariable = 'TUPPENCE_TEST_DATABASE';

/** A URL on the database server that global-setup started. Tests create databases of their own there. */
export function databaseServerUrl(): string {
  const url = process.env[databaseVariable];
  if (!url) throw new Error('there is no test database');
  return url;
}
