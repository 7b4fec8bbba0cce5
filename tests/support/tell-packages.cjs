// Loaded with --require: prints which packages of OpenTelemetry the program loads.
const Module = require('node:module');
const load = Module._load;
Module._load = function (name, ...rest) {
  if (/^@opentelemetry\//.test(name)) console.error(`loads ${name}`);
  return load.call(this, name, ...rest);
};
