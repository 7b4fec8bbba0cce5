import { defineConfig } from '@playwright/test';
import { isSweep } from './tests/support/sweep';

/** One runner for all of it. Folders are projects; what needs no server runs without one. */
export default defineConfig({
  testDir: 'tests',
  globalSetup: './tests/support/global-setup.ts',
  fullyParallel: true,
  // Twice the cores that the tests are meant for: many of them wait, for chains, for jobs and for processes that start.
  workers: 4,
  retries: 0,
  timeout: 60_000,
  forbidOnly: true,
  grepInvert: isSweep ? undefined : /@sweep/,
  reporter: [['./tests/support/reporter.ts']],
  // Those with the longest tests first, so that none of these is left to run alone at the end.
  projects: ['recovery', 'render', 'reader', 'pages', 'api', 'mcp', 'local', 'repo', 'unit'].map((name) => ({
    name,
    testDir: `tests/${name}`,
  })),
});
