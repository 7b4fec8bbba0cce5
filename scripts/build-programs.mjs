import { build } from 'esbuild';

/** Packages with hundreds of files, which would take half of a server's start to find and read. */
const largePackages = /^(viem|zod|mppx|@x402|@solana)(\/|$)/;

/** Bundles those and their dependencies. Every other package is loaded from node_modules. */
const bundleLargePackages = {
  name: 'bundle-large-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isOurs = !importer.includes('/node_modules/') && !path.startsWith('@/');
      return kind !== 'entry-point' && isOurs && !largePackages.test(path)
        ? { path, external: true }
        : undefined;
    });
  },
};

/**
 * Bundles programs that run on Node.
 * @param {string} outdir
 * @param {string[]} entryPoints
 */
export async function buildPrograms(outdir, ...entryPoints) {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    splitting: true,
    plugins: [bundleLargePackages],
    // Bundled CommonJS packages load modules of Node with `require`.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    sourcemap: true,
    logLevel: 'warning',
  });
}
