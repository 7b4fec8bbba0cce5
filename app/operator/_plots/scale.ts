/** The positions of a plot's bars and grid lines. */

/**
 * Round numbers from 0 to at least the highest value: at most six.
 * @param isCount whether they are whole numbers
 */
export function axisTicks(highest: number, isCount: boolean): number[] {
  const rough = isCount ? Math.max(1, highest / 4) : highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    ((isCount && rough < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]).find((factor) => factor * power >= rough) ??
      10) * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The parts of a bar, one on top of the other. */
export function stack(values: readonly number[]): { from: number; value: number }[] {
  let from = 0;
  return values.map((value) => {
    const part = { from, value };
    from += value;
    return part;
  });
}
