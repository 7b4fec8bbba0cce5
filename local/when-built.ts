/**
 * Resolves when bootstrap.mjs, which started this process, has built and checked what it runs; at once if something else started
 * it.
 * @returns the phases of the run so far
 * @throws Error when the build or the check fails, or bootstrap.mjs ends
 */
export function whenBuilt<Phases>(): Promise<Phases | undefined> {
  if (!process.send) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const onDisconnect = () => reject(new Error('the build or the check failed'));
    if (!process.connected) return onDisconnect();
    process.once('disconnect', onDisconnect);
    process.once('message', (phases: Phases) => {
      // A listener would keep this process alive.
      process.off('disconnect', onDisconnect);
      resolve(phases);
    });
    process.send?.('waits for the build');
  });
}
