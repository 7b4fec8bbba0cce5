// How the script of /simulator is bundled: the code of paid calls with its simulation (simulator/session.ts), for a browser.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve('.');
const shims = path.resolve('simulator/browser');

/** Modules of Node and packages by the module that has what is used of them. */
const replaced = {
  'hash-wasm': `${shims}/hash-wasm.ts`,
  'node:buffer': fileURLToPath(import.meta.resolve('buffer/')),
  'node:crypto': `${shims}/crypto.ts`,
  'node:util': `${shims}/promisify.ts`,
  pino: `${shims}/pino.ts`,
  'prom-client': `${shims}/prom-client.ts`,
  'tests/simulation/solana/node': `${shims}/solana-node.ts`,
};

/** Our own modules that no run of the simulator enters: real nodes, Solana, channels and refunds. */
const leftOut = [
  'lib/payments/rpc/send-to-rpc',
  'tests/simulation/buyers',
  'tests/simulation/channels/process-channels',
  'tests/simulation/refunds/open-refunds',
  'tests/simulation/solana/chain',
  'tests/simulation/solana/world',
  // Messages in other languages.
  'node_modules/zod/v4/locales/index.js',
];

/** A module with what is used of it. The rest can be imported all the same, and is undefined, as of any CommonJS module. */
const partOf = (module) => {
  if (module === nothing) return 'module.exports = {};';
  const given = module in replaced ? `export * from ${JSON.stringify(replaced[module])};` : '';
  return `${given} export * from '${nothing}';`;
};

const nothing = 'left-out';

const partsOnly = {
  name: 'only what the simulator runs',
  setup(build) {
    const namespace = 'part';
    build.onResolve({ filter: /^(node:|[\w-]+$)/ }, ({ path: module }) =>
      module.startsWith('node:') || module in replaced || module === nothing
        ? { path: module, namespace }
        : undefined,
    );
    build.onResolve({ filter: /^[.@]\/|^\.\.\// }, ({ path: module, resolveDir }) => {
      const file = module.startsWith('@/')
        ? module.slice(2)
        : path.relative('.', path.resolve(resolveDir, module));
      return leftOut.includes(file) || file in replaced ? { path: file, namespace } : undefined;
    });
    // Packages of the full tier of tests, where they are installed, are other copies of some.
    build.onResolve({ filter: /^(\w|@\w)/ }, ({ path: module, importer, kind }) =>
      importer.startsWith(path.resolve('tests')) && !(module in replaced)
        ? build.resolve(module, { kind, resolveDir: root })
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path: module }) => ({
      contents: partOf(module),
      resolveDir: root,
    }));
  },
};

export const simulator = {
  'app/_site/browser/simulator/main': {
    inject: [`${shims}/globals.ts`],
    plugins: [partsOnly],
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  },
};
