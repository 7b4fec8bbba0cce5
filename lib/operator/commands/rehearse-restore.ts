import { parseArgs } from 'node:util';
import { configuredOffers } from '@/lib/payments/network-offers';
import { parseSettings } from '@/lib/platform/settings';
import { rehearse } from '../backup/rehearse';
import { type Command, UsageError, withApp } from './command';
import { jsonOf } from './options';

/** Shows that a dump can be restored. */
export const rehearseRestore: Command = {
  synopsis: 'rehearse-restore FILE [--server URL] [--json]',
  help: [
    'restores a dump into a database that it makes and drops again, checks migrations and DATA_KEY, and audits the ledger in it;',
    'needs pg_restore, or psql for a dump in SQL. Only restore dumps of your own: they may run programs',
    '--server      a database on the server to restore on; its user must be allowed to create databases; DATABASE_URL unless given',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    const { file, server, isJson } = readOptions(args);
    const settings = parseSettings(context.env);
    return withApp(context, async (app) => {
      const checks = app.features.flatMap(({ auditChecks }) => auditChecks);
      const networks = configuredOffers(settings).map(({ network }) => network.name);
      const report = await rehearse(app, {
        ...{ file, checks, env: context.env },
        server: server ?? settings.DATABASE_URL,
      });
      const isGood = report.problems.length === 0;
      if (isJson) context.print(jsonOf({ ...report, isGood }));
      else {
        const { calls, postings, accounts, uploads, forms } = report.counts;
        context.print(
          `Restored in ${report.seconds} seconds: ${calls} paid calls, ${postings} postings, ${accounts} accounts, ${uploads} uploads, ${forms} forms.`,
        );
        context.print(
          report.changedAt === null
            ? 'There is no call in it.'
            : `The last change of a call in it was at ${report.changedAt}, ${report.hours} hours ago. What came later is lost with it.`,
        );
        for (const problem of report.problems) context.print(`wrong: ${problem}`);
        if (isGood)
          context.print(
            `The ledger agrees with itself. It was not compared with ${networks.join(', ')}, which have later payments.`,
          );
      }
      return isGood ? 0 : 1;
    });
  },
};

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { server: { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('rehearse-restore takes one file.');
  if (values.server !== undefined && !/^postgres(ql)?:\/\//.test(values.server))
    throw new UsageError(
      '--server must be a URL such as postgresql://user:password@localhost:5432/postgres.',
    );
  return { file, server: values.server, isJson: values.json };
}
