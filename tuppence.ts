import { parseArgs } from 'node:util';
import { createApp } from '@/lib/app';
import { examine, type Part, parts } from '@/lib/operator/doctor/examine';
import { type Finding, failed } from '@/lib/operator/doctor/finding';
import { formatFinding, formatSummary } from '@/lib/operator/doctor/print';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { readSettings } from '@/lib/platform/settings';

const usage = `Usage: tuppence doctor [--only PART,PART] [--json] [--strict]

  doctor    checks the settings and everything that the server needs, and says what to do

  --only    checks only these parts: ${parts.join(', ')}
  --json    prints one JSON object per line instead of text
  --strict  counts warnings as failures

Settings are read from the environment. Exit codes: 0 all well, 1 a check failed, 2 wrong usage.`;

interface Options {
  readonly only: readonly Part[];
  readonly isJson: boolean;
  readonly isStrict: boolean;
}

/** The operator's command line. Results go to standard output, errors to standard error. @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (!options) {
    console.error(usage);
    return 2;
  }
  const hasColor = process.stdout.isTTY === true && !process.env.NO_COLOR;
  const findings: Finding[] = [];
  for await (const finding of diagnose(options.only)) {
    findings.push(finding);
    console.log(options.isJson ? JSON.stringify(finding) : formatFinding(finding, hasColor));
  }
  if (!options.isJson) console.log(formatSummary(findings));
  const isWrong = ({ status }: Finding) => status === 'failed' || (options.isStrict && status === 'warning');
  return findings.some(isWrong) ? 1 : 0;
}

/** @returns null when the arguments are not valid */
function readOptions(args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
        strict: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const names = values.only?.split(',') ?? [...parts];
    const only = parts.filter((part) => names.includes(part));
    if (positionals.join(' ') !== 'doctor' || only.length < names.length) return null;
    return { only, isJson: values.json, isStrict: values.strict };
  } catch {
    return null;
  }
}

async function* diagnose(only: readonly Part[]): AsyncGenerator<Finding> {
  const read = readSettings(process.env);
  if ('problems' in read) {
    // Without valid settings, nothing else can be checked.
    for (const { name, message } of read.problems)
      yield failed(name, message, `Correct ${name}. .env.example explains every setting.`);
    return;
  }
  const { settings } = read;
  // What the checks would log is in the findings.
  const log = createLog({ LOG_LEVEL: 'silent' });
  const app = createApp({ settings, log, isBehindOurListener: false });
  yield* examine({ settings, now: systemClock.now, app }, only);
  await app.close();
}

main(process.argv.slice(2)).then(
  // Kept connections would delay the end.
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
