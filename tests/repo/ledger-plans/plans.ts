import type pg from 'pg';

/** A node of a plan as EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) prints it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** An executed statement and its plan. */
export interface ExecutedStatement {
  readonly text: string;
  readonly plan: PlanNode;
}

/** Makes PostgreSQL report the plan of every statement, including those of triggers, as a notice to the client that sent it. */
const reporting = {
  session_preload_libraries: 'auto_explain',
  client_min_messages: 'notice',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_parameter_max_length': '0',
};

/** The address of a database whose connections report plans. */
export function reportingPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = Object.entries(reporting).map(([name, value]) => `-c ${name}=${value}`);
  return `${url.href}?options=${encodeURIComponent(options.join(' '))}`;
}

/** Collects the plans that the connections of pools report. */
export class PlanLog {
  #statements: ExecutedStatement[] = [];

  constructor(...pools: readonly pg.Pool[]) {
    for (const pool of pools) pool.on('connect', (client) => this.#listen(client));
  }

  #listen(client: pg.PoolClient): void {
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('plan:\n');
      if (start < 0) return;
      const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(start + 'plan:\n'.length));
      this.#statements.push({ text, plan });
    });
  }

  /** What was executed since the last call. */
  take(): readonly ExecutedStatement[] {
    const statements = this.#statements;
    this.#statements = [];
    return statements;
  }
}

export interface PlanLimits {
  /** Tables that may only be read through an index. */
  readonly largeTables: ReadonlySet<string>;
  /** How many rows a statement may read from one table or index. */
  readonly rowsMax: number;
}

/** Describes the parts of a statement's plan that grow with the tables. None if it reads a bounded number of rows by index. */
export function growingParts({ text, plan }: ExecutedStatement, limits: PlanLimits): string[] {
  const about = text.replaceAll(/\s+/g, ' ').slice(0, 200);
  return nodesOf(plan).flatMap((node) => {
    const relation = node['Relation Name'] ?? node['Index Name'];
    if (relation === undefined || node['Actual Loops'] === 0) return [];
    const rows = rowsRead(node);
    const scans = node['Node Type'] === 'Seq Scan' && limits.largeTables.has(relation);
    return scans || rows > limits.rowsMax
      ? [`${node['Node Type']} on ${relation} read ${rows} rows: ${about}`]
      : [];
  });
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Rows read per loop, including those that a condition rejected after they were read. */
function rowsRead(node: PlanNode): number {
  const perLoop =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(perLoop * node['Actual Loops']);
}
