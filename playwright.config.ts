import { defineConfig } from '@playwright/test';

/** One runner for all of it. Folders are projects; what needs no server runs without one. */
export default defineConfig({
  testDir: 'tests',
  globalSetup: './tests/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 60_000,
  forbidOnly: true,
  reporter: [['./tests/support/reporter.ts']],
  projects: ['unit', 'repo', 'local', 'api', 'recovery'].map((name) => ({ name, testDir: `tests/${name}` })),
});
