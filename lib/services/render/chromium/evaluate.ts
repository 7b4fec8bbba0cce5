import type { CDPSession } from 'puppeteer-core';

/**
 * Runs a function inside the browser, where it is passed as source text: it may use nothing from outside but its input and the
 * functions that are passed with it. A document's own scripts never run, but its elements can hide methods of `document`, so the
 * function must take those from the prototype.
 */
export async function evaluate<Input, Uses extends readonly ((...args: never[]) => unknown)[]>(
  session: CDPSession,
  run: (input: Input, ...uses: Uses) => unknown,
  input: Input,
  ...uses: Uses
): Promise<unknown> {
  const values = [JSON.stringify(input), ...uses].join(', ');
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    // The compiler may have put calls of `__name` into the functions.
    expression: `(() => { const __name = (named) => named; return (${run})(${values}); })()`,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error('the document could not be looked at');
  return result.value;
}
