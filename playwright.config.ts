import { defineConfig } from '@playwright/test';
import { findTestNeeds } from './local/test-needs.mjs';
import { testPackagesConfig } from './local/test-packages.mjs';
import { projectBesideOthers } from './tests/support/beside-others';
import { browserLaunchOptions } from './tests/support/browser';
import { shortenStacks } from './tests/support/short-stacks';
import { isSweep } from './tests/support/sweep';
import { filesBesideOthers, leftOut, otherFiles, recoveryFiles, tierOfRun } from './tests/support/tiers';

shortenStacks();

const notInRun = [...leftOut(tierOfRun), ...(isSweep ? [] : [/@sweep/])];

// Found out once; workers load this file too.
process.env.TEST_NEEDS_STACK ??= String(
  findTestNeeds(process.cwd(), process.argv.slice(process.argv.indexOf('test') + 1)).has('stack'),
);
const server = process.env.TEST_NEEDS_STACK === 'true' ? ['server'] : [];

const workers = 2;
const beside = filesBesideOthers(tierOfRun);

/** One runner for all of it. What needs no server runs without one. */
export default defineConfig({
  testDir: 'tests',
  tsconfig: testPackagesConfig(),
  globalSetup: './tests/support/global-setup.ts',
  // As many as the cores that the tests are meant for, and one for tests that run beside them at a low priority. Twice as many end no
  // earlier there: the crash points take half as much CPU time again, and what waits for a browser or a process that starts runs
  // out of time.
  workers: workers + beside.length,
  retries: 0,
  // Twice what the slowest takes on two busy cores; what has a limit of its own asserts it.
  timeout: 120_000,
  // A page shows what comes of several steps with look-ups at chains.
  expect: { timeout: 15_000 },
  forbidOnly: true,
  grepInvert: notInRun,
  reporter: [['./tests/support/reporter.ts']],
  use: { launchOptions: browserLaunchOptions() },
  // A worker is replaced when the project or the worker-scoped fixtures of the next test are others, and to start one costs
  // seconds of CPU time. So there are few projects, and no fixture outside of tests/recovery is worker-scoped. Recovery
  // is apart because its fixtures are servers, which have to end before the rest begins.
  projects: [
    ...server.map((name) => ({ name, testMatch: /\/tests\/support\/server\.setup\.ts$/ })),
    ...beside.map((files) => ({ name: projectBesideOthers, dependencies: server, workers: 1, ...files })),
    ...recoveryFiles(tierOfRun).map((files, index) => ({
      name: `recovery ${index + 1}`,
      workers,
      testDir: 'tests/recovery',
      fullyParallel: true,
      dependencies: server,
      ...files,
      // That of a project counts instead of that of all.
      grepInvert: [...notInRun, ...(files.grepInvert ?? [])],
    })),
    // A file at a time: what it computes for its tests is computed in one worker.
    ...otherFiles(tierOfRun).map((files, index) => ({
      name: `rest ${index + 1}`,
      workers,
      dependencies: server,
      ...files,
    })),
  ],
});
