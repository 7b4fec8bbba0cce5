import { parseArgs } from 'node:util';
import { misspeltIn, readSettings } from '@/lib/platform/settings';
import { examine, type Part, parts } from '../doctor/examine-installation';
import { type Finding, type FindingStatus, failed, warning } from '../doctor/finding';
import { type Command, type CommandContext, UsageError } from './command';

/** Checks an installation. */
export const doctor: Command = {
  synopsis: 'doctor [--only PART,PART] [--json] [--strict]',
  help: [
    'checks the settings and everything that the server needs, and says what to do',
    `--only        checks only these parts: ${parts.join(', ')}`,
    '--json        prints one JSON object per line instead of text',
    '--strict      counts warnings as failures',
  ],

  async run(args, context) {
    const { only, isJson, isStrict } = readOptions(args);
    const findings: Finding[] = [];
    for await (const finding of diagnose(only, context)) {
      findings.push(finding);
      context.print(isJson ? JSON.stringify(finding) : formatFinding(finding, context.hasColor));
    }
    if (!isJson) context.print(formatSummary(findings));
    const isWrong = ({ status }: Finding) => status === 'failed' || (isStrict && status === 'warning');
    return findings.some(isWrong) ? 1 : 0;
  },
};

function readOptions(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, json: flag, strict: flag },
  });
  const names = values.only?.split(',') ?? [...parts];
  const only = parts.filter((part) => names.includes(part));
  if (only.length < names.length) throw new UsageError(`--only takes these parts: ${parts.join(', ')}.`);
  return { only, isJson: values.json, isStrict: values.strict };
}

async function* diagnose(only: readonly Part[], context: CommandContext): AsyncGenerator<Finding> {
  const read = readSettings(context.env);
  if ('problems' in read) {
    // Without valid settings, nothing else can be checked.
    for (const { name, message } of read.problems)
      yield failed(name, message, `Correct ${name}. .env.example explains every setting.`);
    return;
  }
  if (only.includes('settings'))
    for (const { name, message } of misspeltIn(context.env))
      yield warning(name, message, `Rename ${name}, or remove it. The server ignores it.`);
  const app = context.openApp(read.settings);
  try {
    yield* examine(app, only);
  } finally {
    await app.close();
  }
}

const colors: Readonly<Record<FindingStatus, number>> = { ok: 32, warning: 33, failed: 31, skipped: 90 };

/** A finding as text: one line, and a second one for the advice. */
function formatFinding({ about, status, message, advice }: Finding, hasColor: boolean): string {
  const label = status.padEnd(8);
  const colored = hasColor ? `\u001b[${colors[status]}m${label}\u001b[0m` : label;
  const line = `${colored} ${about}: ${message}`;
  return advice === undefined ? line : `${line}\n         ${advice}`;
}

/** The last line: how many checks ended in each way. */
function formatSummary(findings: readonly Finding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  return `${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed, ${count('skipped')} skipped`;
}
