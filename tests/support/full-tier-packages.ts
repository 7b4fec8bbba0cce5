import path from 'node:path';

/**
 * The packages of tests/package.json, which only the full tier needs and only it installs. Whatever imports this module has them
 * when it runs, so they are loaded by the tests that use them, and never while a file is read.
 */
export const fullTierPackages = {
  discoveryAudit: () => import('@agentcash/discovery'),
  duffel: () => import('@duffel/api'),
  dockerfileUtils: () => import('dockerfile-utils'),
  exa: () => import('exa-js'),
  firecrawl: () => import('@mendable/firecrawl-js'),
  fontkit: () => import('fontkit'),
  openApiExamples: () => import('openapi-examples-validator'),
  s3rver: () => import('s3rver'),
  sheetJs: () => import('@e965/xlsx'),
  spectral: () => import('@stoplight/spectral-core'),
  spectralRulesets: () => import('@stoplight/spectral-rulesets'),
};

/** Programs of these packages, to run with Node. */
export const fullTierPrograms = {
  mcpInspector: programOf('@modelcontextprotocol/inspector-cli/build/cli.js'),
  redocly: programOf('@redocly/cli/bin/cli.js'),
};

/** A seller that is a program of its own, and what it loads from there. */
export const expressSeller = {
  program: path.resolve('tests/support/sellers/express.mjs'),
  loads: ['@x402/express', 'express'],
};

function programOf(file: string): string {
  return path.resolve('tests/node_modules', file);
}
