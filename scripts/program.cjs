// Runs the bundle beside this file, from the code that V8 compiled when it was built. Where that does not fit (another
// version of Node, other switches) or is missing, V8 compiles the bundle again: slower, and otherwise the same.
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

// Otherwise V8 optimizes Prisma's query compiler as soon as it has compiled a few queries. That takes as much CPU as the
// rest of a start, for code that is rarely needed again. A busy server gets there a little later.
v8.setFlagsFromString('--wasm-tiering-budget=100000000');

const file = __filename.replace(/\.js$/, '.bundle.js');
const cacheFile = `${file}.cache`;

function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

// The bundler writes nothing but ASCII, which is read fastest this way.
const source = readFileSync(file, 'latin1');
const script = new vm.Script(`(function (module, exports, require, __filename, __dirname) {${source}\n})`, {
  filename: file,
  cachedData: readCache(),
});
// Set by the build (build-programs.mjs): what ran until the end is what a start needs.
if (process.env.WRITE_CODE_CACHE) {
  process.once('exit', () => writeFileSync(cacheFile, script.createCachedData()));
}
script.runInThisContext()(module, module.exports, createRequire(file), file, path.dirname(file));
