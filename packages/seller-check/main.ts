import { parseArgs } from 'node:util';
import { freeCases } from './free/cases';
import { UnpaidSeller } from './free/seller';
import { paidCheck } from './paid/check';
import { exitCodeOf, formatJson, formatResult, formatSummary } from './report';
import { runCases } from './run-cases';

const usage = `Usage: npm run check:seller -- <url> [options]
       npm run check:seller -- paid [options]

Sends requests without money to one paid call, and says which rules of x402, MPP and HTTP the seller keeps.

  <url>            the address of a paid call, with path parameters filled in
  --method METHOD  GET by default, POST if there is a body
  --body JSON      the body of a valid call
  --header 'N: V'  a header of each request; may be repeated
  --only PREFIX    only cases whose ID begins like this, such as mpp.
  --json           prints the results as JSON

Exit codes: 0 no rule that must be kept is broken, 1 one is, 2 something could not be checked.
`;

/** An option or argument that is missing or malformed. */
class UsageError extends Error {}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      method: { type: 'string' },
      body: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [address, ...more] = positionals;
  if (values.help) return undefined;
  if (address === undefined || more.length > 0) throw new UsageError('Name one address.');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError('The address must be a URL such as https://api.example.com/v1/words.');
  const headers = values.header.map((line): [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError("--header must be like 'Accept-Language: en'.");
    return [name, value];
  });
  const { only, json, body } = values;
  const method = (values.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase();
  return { call: { url, method, headers, body }, only, json };
}

async function check(args: readonly string[]): Promise<number> {
  const options = readArguments(args);
  if (options === undefined) {
    console.log(usage);
    return 0;
  }
  const { call, only, json } = options;
  const seller = new UnpaidSeller(call);
  // A seller that does not answer at all would be an error of every case.
  await seller.unpaid();
  const results = await runCases(freeCases, seller, {
    only,
    onResult: (result) => json || console.log(formatResult(result)),
  });
  console.log(json ? formatJson(call.url.href, results) : `\n${formatSummary(results)}`);
  return exitCodeOf(results);
}

const [first, ...others] = process.argv.slice(2);
try {
  process.exitCode = first === 'paid' ? await paidCheck(others) : await check(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  if (isUsage) console.error(`\n${usage}`);
  process.exitCode = 2;
}
