import { createHash } from 'node:crypto';
import type { Seller } from './bench-chain';
import { priceAtomic } from './buyers';

/** The makeup of a loaded ledger, and its rows in SQL: those of call number `n`, made at `at`. */

/** How many consecutive call numbers share a settlement transaction. The account's calls among them are not part of it. */
const numbersPerSettlement = 20;
const payers = 50_000;
const depositAtomic = 100_000_000n;
const responsesPerForm = 100;

/**
 * The id of the n-th row of a table, as random as real ids. If ids were in order, new rows would all go to the same few pages
 * of an index, and a large ledger would look cheaper than it is. For ids that really begin with the time, see `orderedInSql`.
 */
function idOf(prefix: string, n: number): string {
  const digest = createHash('sha256').update(`${prefix}${n}`).digest('base64').slice(0, 24);
  return `${prefix}_${digest.replaceAll('+', 'x').replaceAll('/', 'y')}`;
}

/** The same in SQL. */
const idInSql = (prefix: string, n: string) => `'${prefix}_' || ${tokenInSql(prefix, n)}`;
const tokenInSql = (what: string, n: string) =>
  `translate(left(encode(sha256(('${what}' || (${n}))::bytea), 'base64'), 24), '+/', 'xy')`;
/** Ids that begin with a number instead of the time, and sort before all that are made now. */
const orderedInSql = (prefix: string, n: string) =>
  `'${prefix}_0' || lpad((${n})::text, 9, '0') || left(${tokenInSql(prefix, n)}, 18)`;
const hex = (what: string, n = 'n') => `encode(sha256(('${what}' || (${n}))::bytea), 'hex')`;
const hashOf = (what: string) => `sha256(('${what}' || n)::bytea)`;
const bytea = (bytes: Uint8Array) => `'\\x${Buffer.from(bytes).toString('hex')}'::bytea`;
/** Filler that is as long as encrypted content, and compresses as badly. */
const sealed = (bytes: number) => `(SELECT string_agg(sha256((n || ':' || part)::bytea), ''::bytea)
  FROM generate_series(1, ${Math.ceil(bytes / 32)}) AS part)`;

/** The prepaid account that pays every tenth call. */
export const loadedAccount = { id: `acct_load${'0'.repeat(20)}`, token: `tpt_${'L'.repeat(43)}` } as const;
/** The read token of every form. */
export const loadedReadToken = 'frt_of_a_loaded_form';

const isDeposit = 'n % 10000 = 1';
const isForm = 'n % 100 = 2';
const isOfAccount = 'n % 10 = 0';
const isOnChain = `NOT (${isOfAccount})`;
const isUpload = `NOT (${isDeposit} OR ${isForm})`;

/** How many of the first calls were paid on the chain. */
export function callsOnChain(calls: number): number {
  return calls - Math.floor(calls / 10);
}

/** The id of the newest form. It is open and has all of its answers. */
export function newestForm(calls: number): string {
  return idOf('fm', calls - ((calls - 2) % 100));
}

/** The final balance of the account: deposits less charges. */
function balanceAtomic(calls: number): bigint {
  const deposits = BigInt(Math.ceil(calls / 10_000));
  return deposits * depositAtomic - BigInt(Math.floor(calls / 10)) * priceAtomic;
}

const call = orderedInSql('pc', 'n');
const form = idInSql('fm', 'n');
const settlementNumber = `n - (n - 1) % ${numbersPerSettlement}`;
const settlement = orderedInSql('st', settlementNumber);
const transactionHash = `'0x' || ${hex('transaction', settlementNumber)}`;
const wallet = `'0x' || left(${hex('payer', `n % ${payers}`)}, 40)`;
const payer = `CASE WHEN ${isOfAccount} THEN '${loadedAccount.id}' ELSE ${wallet} END`;
const amount = `CASE WHEN ${isDeposit} THEN ${depositAtomic} ELSE ${priceAtomic} END`;
const operation = `CASE WHEN ${isDeposit} THEN 'billing.deposit' WHEN ${isForm} THEN 'forms.create'
  ELSE 'uploads.create' END`;
const leads = `n % ${numbersPerSettlement} = 1`;
const fileIsGone = `at < now() - interval '7 days'`;
const fileEndedAt = `CASE WHEN ${fileIsGone} THEN at + interval '7 days' END`;
const answerExpiry = `at + interval '38 days'`;
const answerIsGone = `${answerExpiry} <= now()`;
const formExpiry = `at + interval '37 days'`;
const formIsGone = `${formExpiry} <= now()`;

const formContent = JSON.stringify({
  title: 'Summer party',
  language: 'en',
  questions: [{ id: 'name', type: 'text', label: 'Your name', required: true, maxLength: 500 }],
});

export interface LoadedLedger {
  readonly seller: Pick<Seller, 'signer' | 'payTo'>;
  readonly asset: string;
  readonly calls: number;
  /** What each person answered to a form, encrypted. */
  readonly answers: Uint8Array;
}

/** The statements that insert the calls from `first` to `last` and everything that belongs to them. */
export function insertCalls(
  { seller, asset, calls, answers }: LoadedLedger,
  first: number,
  last: number,
): string[] {
  // One year, spread evenly, up to now.
  const numbers = `(SELECT n, now() - make_interval(secs => (${calls} - n) * 31536000.0 / ${calls}) AS at
    FROM generate_series(${first}, ${last}) AS n) AS numbered`;
  return [
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, payments, state, block_number, block_hash,
       gas_used, fee_atomic, fee_in_vain_atomic, fee_unit, created_at, confirmed_at, final_at)
     SELECT ${settlement}, 'base', '${seller.signer}', n, ${transactionHash},
       (SELECT count(*) FROM generate_series(n, LEAST(n + ${numbersPerSettlement - 1}, ${calls})) AS carried (n)
        WHERE ${isOnChain.replace('n %', 'carried.n %')}),
       'confirmed', n, '0x' || ${hex('block', settlementNumber)}, 1200000, 1000000000, 0, 'wei', at, at, at
     FROM ${numbers} WHERE ${leads}`,
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, idempotency_key_hash, claim_token_hash, state, payment, valid_before, transaction_hash,
       settlement_id, answer_status, answer, answer_expires_at, attempt_at, created_at, moved_at, credited_account)
     SELECT ${call}, ${operation}, CASE WHEN ${isOnChain} THEN 'x402' ELSE 'account' END,
       CASE WHEN ${isOnChain} THEN 'base' ELSE 'account' END, CASE WHEN ${isOnChain} THEN '${asset}' ELSE 'usdc' END,
       ${payer}, CASE WHEN ${isOnChain} THEN '0x' || ${hex('nonce')} ELSE ${call} END, ${amount}, CASE WHEN ${isOnChain} THEN '${seller.payTo}' ELSE 'revenue' END,
       ${hashOf('request')}, CASE WHEN n % 5 = 0 THEN ${hashOf('key')} END,
       CASE WHEN ${isOnChain} THEN ${hashOf('token')} END, 'delivered', CASE WHEN NOT ${answerIsGone} THEN ${sealed(480)} END, at,
       CASE WHEN ${isOnChain} THEN ${transactionHash} END, CASE WHEN ${isOnChain} THEN ${settlement} END, 200,
       CASE WHEN NOT ${answerIsGone} THEN ${sealed(600)} END, ${answerExpiry}, at, at, at,
       CASE WHEN ${isDeposit} THEN '${loadedAccount.id}' END
     FROM ${numbers}`,
    `INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
     SELECT ${call}, from_state::paid_call_step, to_state::paid_call_step, at
     FROM ${numbers}, (VALUES (NULL, 'claimed'), ('claimed', 'settling'), ('settling', 'settled'),
       ('settled', 'delivered')) AS move(from_state, to_state)`,
    `INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
     SELECT ${call}, kind,
       CASE WHEN kind = 'delivered' THEN prepaid_account(${payer}) WHEN ${isOfAccount} THEN balance_account(${payer})
         ELSE treasury_account('base') END,
       CASE WHEN kind = 'settled' THEN prepaid_account(${payer})
         WHEN ${isDeposit} THEN balance_account('${loadedAccount.id}') ELSE revenue_account(${operation}) END,
       ${amount}, 'usdc', at
     FROM ${numbers}, (VALUES ('settled'), ('delivered')) AS posted(kind)`,
    `INSERT INTO posting (settlement_id, kind, debit_account, credit_account, amount_atomic, unit, at)
     SELECT ${settlement}, 'gas', gas_expense_account('base'), gas_wallet_account('base', '${seller.signer}'), 1000000000, 'wei', at
     FROM ${numbers} WHERE ${leads}`,
    `INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, link_token, tags, created_at,
       upload_url_expires_at, expires_at, deleted_at, erased_at)
     SELECT ${orderedInSql('up', 'n')}, ${call}, ${payer}, 'text/plain', 1000, ${hex('file')}, 'file.txt', ${tokenInSql('link', 'n')},
       '{}', at, at + interval '1 hour', at + interval '7 days', ${fileEndedAt}, ${fileEndedAt}
     FROM ${numbers} WHERE ${isUpload}`,
    `INSERT INTO form (id, paid_call_id, owner, created_at, read_token_hash, content, closes_at, readable_until,
       max_responses, response_count, erased_at)
     SELECT ${form}, ${call}, ${payer}, at, ${bytea(createHash('sha256').update(loadedReadToken).digest())},
       CASE WHEN NOT ${formIsGone} THEN '${formContent}'::jsonb END, at + interval '30 days', ${formExpiry},
       ${responsesPerForm}, ${responsesPerForm}, CASE WHEN ${formIsGone} THEN ${formExpiry} END
     FROM ${numbers} WHERE ${isForm}`,
    `INSERT INTO form_response (id, form_id, number, nonce, answers, submitted_at)
     SELECT ${idInSql('fr', `n * ${responsesPerForm} + number`)}, ${form}, number, 'nonce' || number, ${bytea(answers)}, at
     FROM ${numbers}, generate_series(1, ${responsesPerForm}) AS number WHERE ${isForm} AND NOT ${formIsGone}`,
    `INSERT INTO account (id, token_hash, created_at)
     SELECT ${idInSql('acct', 'n')}, ${hashOf('account')}, at FROM ${numbers} WHERE n % 100 = 3`,
  ];
}

/** The statements that insert the account and its balance. */
export function insertAccount({ calls }: LoadedLedger): string[] {
  const { id, token } = loadedAccount;
  return [
    `INSERT INTO account (id, token_hash, created_at)
     VALUES ('${id}', ${bytea(createHash('sha256').update(token).digest())}, now() - interval '1 year')`,
    `INSERT INTO account_balance (account_id, balance_atomic) VALUES ('${id}', ${balanceAtomic(calls)})`,
  ];
}
