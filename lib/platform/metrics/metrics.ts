import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { channelGauges } from './channel-gauges';
import { facilitatorGauges } from './facilitator-gauges';
import type { RequestObserver } from './request-observer';

/** Upper bounds of durations, in seconds. */
const durations = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000].map((ms) => ms / 1_000);
const paymentsPerTransaction = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** How the processes of one server add up to one value (PROCESSES above 1). */
type Aggregator = 'sum' | 'first' | 'min' | 'max';

/**
 * The counts of one app, and what its gauges last showed. Each app has its own, so that several can run in one process.
 * Counting is synchronous and takes about a microsecond. Labels have few values, all known beforehand: never an id, a payer,
 * a path with ids, or a text. docs/metrics.md explains every metric.
 */
export class Metrics {
  /** What follows single requests of a started app; null unless an optional feature does. */
  observer: RequestObserver | null = null;
  /** What this process counts itself. */
  readonly ofProcess = new Registry();
  /** Values that are the same for all processes on one database, so only the process that is asked prints them. */
  readonly ofDatabase = new Registry();

  readonly requests = this.#counter(
    'tuppence_requests_total',
    'Answered requests. Unpaid calls of paid operations have payment="none".',
    ['operation', 'rail', 'payment', 'status'],
  );
  readonly requestSeconds = this.#histogram(
    'tuppence_request_duration_seconds',
    'From the arrival of a request to its response, without unpaid calls of paid operations.',
    ['operation'],
  );
  readonly requestsInFlight = this.#gauge(
    'tuppence_requests_in_flight',
    'Requests that arrived and are not answered yet.',
    [],
  );
  readonly errors = this.#counter('tuppence_errors_total', 'Responses with an error, by its code.', ['code']);

  readonly paidCalls = this.#counter('tuppence_paid_calls_total', 'Results of advancing a paid call.', [
    'operation',
    'network',
    'result',
  ]);
  readonly phaseSeconds = this.#histogram(
    'tuppence_paid_call_phase_seconds',
    'How long each phase of a paid call takes.',
    ['operation', 'phase'],
  );
  readonly revenueUsdc = this.#counter(
    'tuppence_revenue_usdc_total',
    'USDC earned by calls that were answered, without deposits into prepaid accounts.',
    ['operation', 'network'],
  );

  readonly settlements = this.#counter(
    'tuppence_settlement_transactions_total',
    'Settlement transactions by outcome.',
    ['network', 'event'],
  );
  readonly settlementPayments = this.#histogram(
    'tuppence_settlement_payments',
    'Payments in each settlement transaction that is in a block.',
    ['network'],
    paymentsPerTransaction,
  );
  readonly settlementSeconds = this.#histogram(
    'tuppence_settlement_duration_seconds',
    'From the broadcast of a settlement transaction to its block.',
    ['network'],
  );
  readonly gas = this.#counter('tuppence_settlement_gas_total', 'Gas used by settlement transactions.', [
    'network',
  ]);
  readonly fees = this.#counter(
    'tuppence_settlement_fees_total',
    'Fees of settlement transactions, in the native coin of the network.',
    ['network'],
  );
  readonly feesInVain = this.#counter(
    'tuppence_settlement_fees_in_vain_total',
    'The part of these fees that was spent on failed payments.',
    ['network'],
  );
  readonly rpcRequests = this.#counter('tuppence_rpc_requests_total', 'HTTP requests to RPCs.', [
    'network',
    'rpc',
    'result',
  ]);
  readonly facilitators = facilitatorGauges(this.ofProcess);
  readonly rpcUsable = this.#gauge(
    'tuppence_rpc_usable',
    '0 while an RPC does not answer and the others of its network are asked instead.',
    ['network', 'rpc'],
    'min',
  );
  readonly networkOffered = this.#gauge(
    'tuppence_network_offered',
    '1 while payments are taken on a network.',
    ['network'],
    'min',
  );
  readonly tokenStopsPayments = this.#gauge(
    'tuppence_token_stops_payments',
    '1 while the token of a network stops every payment there: it is paused, or our payee is blocked or frozen.',
    ['network'],
    'max',
  );
  readonly settlementsWaiting = this.#gauge(
    'tuppence_settlements_waiting',
    'Payments that wait for the next settlement transaction.',
    ['network'],
  );
  readonly settlementsPending = this.#gauge(
    'tuppence_settlements_pending',
    'Settlement transactions that this server has sent and that are not in a block yet.',
    ['network'],
  );

  readonly providerRequests = this.#counter('tuppence_provider_requests_total', 'Requests to providers.', [
    'provider',
    'result',
  ]);
  readonly providerSeconds = this.#histogram(
    'tuppence_provider_request_duration_seconds',
    'Duration of requests to providers.',
    ['provider'],
  );
  readonly providerFailures = this.#counter(
    'tuppence_provider_failures_total',
    'Calls that failed at a provider.',
    ['provider', 'kind'],
  );

  readonly operationWithheld = this.#gauge(
    'tuppence_operation_withheld',
    '1 while calls of an operation are refused, or tried one at a time, because its provider fails.',
    ['operation'],
    'max',
  );

  readonly jobRuns = this.#counter('tuppence_job_runs_total', 'Runs of jobs.', ['job', 'result']);
  readonly jobSeconds = this.#histogram('tuppence_job_duration_seconds', 'How long jobs take.', ['job']);

  readonly queueLength = this.#gauge('tuppence_queue_length', 'Work that waits for its turn.', ['queue']);
  readonly browsersBusy = this.#gauge('tuppence_browsers_busy', 'Browsers that work on a document.', [
    'pool',
  ]);
  readonly browsersUsable = this.#gauge(
    'tuppence_browsers_usable',
    '0 while no browser starts, although there is one to start.',
    ['pool'],
    'min',
  );
  readonly databaseConnections = this.#gauge(
    'tuppence_database_connections',
    'Connections to the database in use and idle, and statements that wait for one.',
    ['state'],
  );
  readonly storeUsable = this.#gauge(
    'tuppence_store_usable',
    '1 while the last test of the file store passed.',
    [],
    'min',
  );

  readonly operationPaused = this.#gauge(
    'tuppence_operation_paused',
    '1 while an operation is paused, because too many of its paid calls wait for the operator.',
    ['operation'],
    'max',
  );

  readonly databaseUp = this.#gaugeOfDatabase(
    'tuppence_database_up',
    '1 if the database answered. Without an answer, the figures that come from it are left out.',
    [],
  );
  readonly openCalls = this.#gaugeOfDatabase(
    'tuppence_open_calls',
    'Paid calls in a state that is not final, counted up to 10,000.',
    ['state'],
  );
  readonly oldestCallSeconds = this.#gaugeOfDatabase(
    'tuppence_oldest_open_call_seconds',
    'How long the oldest open call has been in its state.',
    ['state'],
  );
  readonly worklistItems = this.#gaugeOfDatabase(
    'tuppence_worklist_items',
    'Items that wait for the operator, counted up to 10,000.',
    ['kind'],
  );
  readonly refunds = this.#gaugeOfDatabase(
    'tuppence_refunds',
    'Refunds that are not confirmed, by state, counted up to 10,000.',
    ['state'],
  );
  readonly openTransactions = this.#gaugeOfDatabase(
    'tuppence_open_transactions',
    'Settlement transactions that are recorded and not known to be in a block.',
    ['network'],
  );
  readonly oldestTransactionSeconds = this.#gaugeOfDatabase(
    'tuppence_oldest_open_transaction_seconds',
    'Age of the oldest open settlement transaction.',
    ['network'],
  );
  readonly jobOverdueSeconds = this.#gaugeOfDatabase(
    'tuppence_job_overdue_seconds',
    'Seconds since a job was due that no process has started.',
    ['job'],
  );
  readonly auditAt = this.#gaugeOfDatabase(
    'tuppence_audit_timestamp_seconds',
    'When the last audit of the job started, in Unix time; 0 before the first one.',
    [],
  );
  readonly auditFindings = this.#gaugeOfDatabase('tuppence_audit_findings', 'How many findings it had.', []);
  readonly channels = channelGauges(this.ofDatabase);
  readonly instancesAlive = this.#gaugeOfDatabase(
    'tuppence_instances_alive',
    'Server processes and workers that share the database.',
    [],
  );
  readonly signerBalance = this.#gaugeOfDatabase(
    'tuppence_signer_balance',
    'Gas balance of a settlement key, in the native coin of the network.',
    ['network', 'signer'],
  );
  readonly treasuryUsdc = this.#gaugeOfDatabase(
    'tuppence_treasury_usdc',
    'USDC at the address that receives the payments.',
    ['network'],
  );
  readonly buildInfo = this.#gaugeOfDatabase('tuppence_build_info', 'Always 1, with the version.', [
    'version',
    'node',
  ]);

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.ofProcess] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = durations,
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.ofProcess] });
  }

  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    aggregator: Aggregator = 'sum',
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, aggregator, registers: [this.ofProcess] });
  }

  #gaugeOfDatabase<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.ofDatabase] });
  }
}
