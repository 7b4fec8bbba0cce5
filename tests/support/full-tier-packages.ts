import path from 'node:path';

/**
 * The packages of tests/package.json, which only the full tier and the benches need and install. Whatever imports this module has them
 * when it runs, so they are loaded by the tests that use them, and never while a file is read.
 */
export const fullTierPackages = {
  cachePolicy: () => import('http-cache-semantics'),
  discoveryAudit: () => import('@agentcash/discovery'),
  duffel: () => import('@duffel/api'),
  dockerfileUtils: () => import('dockerfile-utils'),
  exa: () => import('exa-js'),
  firecrawl: () => import('@mendable/firecrawl-js'),
  fontkit: () => import('fontkit'),
  openApiExamples: () => import('openapi-examples-validator'),
  s3rver: () => import('s3rver'),
  slowExpressions: () => import('scslre'),
  sheetJs: () => import('@e965/xlsx'),
  spectral: () => import('@stoplight/spectral-core'),
  spectralRulesets: () => import('@stoplight/spectral-rulesets'),
};

/** Programs of these packages, to run with Node. */
export const fullTierPrograms = {
  mcpInspector: fileOf('@modelcontextprotocol/inspector-cli/build/cli.js'),
  redocly: fileOf('@redocly/cli/bin/cli.js'),
};

/** A script of these packages, to run inside a page. */
export const fullTierScripts = { defuddle: fileOf('defuddle/dist/index.js') };

/** Safe's published contracts. */
export const safeContracts = {
  singleton: safeContract('Safe.sol/Safe'),
  handler: safeContract('handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler'),
  factory: safeContract('proxies/SafeProxyFactory.sol/SafeProxyFactory'),
};

/** The official wrapper for Next.js, to link into an app. */
export const nextWrapper = fileOf('@x402/next');

/** A seller that is a program of its own, and what it loads from there. */
export const expressSeller = {
  program: path.resolve('tests/support/sellers/express.mjs'),
  loads: ['@x402/express', 'express'],
};

function safeContract(name: string): string {
  return path.join(fileOf('@safe-global/safe-smart-account/build/artifacts/contracts'), `${name}.json`);
}

function fileOf(file: string): string {
  return path.resolve('tests/node_modules', file);
}
