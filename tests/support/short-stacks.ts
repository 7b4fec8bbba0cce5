const runner = /[/\\]node_modules[/\\]playwright(-core)?[/\\]/;

/**
 * Leaves the runner's own functions out of the stacks of errors. For every fixture and `expect` the runner takes a stack, maps
 * each of its frames to a source and throws its own away again: without fixtures, that is half of the CPU time of a short test.
 */
export function shortenStacks(): void {
  const format = Error.prepareStackTrace;
  if (!format) return;
  Error.prepareStackTrace = (error, frames) => {
    const others = frames.filter((frame) => !runner.test(frame.getFileName() ?? ''));
    return format(error, others.length > 0 ? others : frames.slice(0, 1));
  };
}
