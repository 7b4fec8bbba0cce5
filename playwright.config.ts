import { defineConfig } from '@playwright/test';
import { isSweep } from './tests/support/sweep';

/** One runner for all of it. Folders are projects; what needs no server runs without one. */
export default defineConfig({
  testDir: 'tests',
  globalSetup: './tests/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  timeout: 60_000,
  forbidOnly: true,
  grepInvert: isSweep ? undefined : /@sweep/,
  reporter: [['./tests/support/reporter.ts']],
  projects: ['unit', 'repo', 'local', 'render', 'reader', 'api', 'pages', 'mcp', 'recovery'].map((name) => ({
    name,
    testDir: `tests/${name}`,
  })),
});
