/** Asked for compression when lib/ledger/kept-answer.ts is loaded; answers in memory are not compressed. */
export function promisify(): () => Promise<never> {
  return async () => {
    throw new Error('nothing is compressed in the simulator');
  };
}
