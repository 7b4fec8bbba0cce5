/**
 * Checks a seller with payments on a local chain.
 * @param args what follows `paid` on the command line
 * @returns the exit code
 */
export async function paidCheck(args: readonly string[]): Promise<number> {
  console.error(`There are no cases with payments yet (${args.join(' ')}).`);
  return 2;
}
