import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../case';
import type { CaseResult } from '../run-cases';
import { isDelivery } from './client';
import { fail, pass } from './findings';
import { missingFor, type PaidCase } from './paid-case';
import { rules } from './rules';
import { PaidSeller, type Surroundings } from './seller';

export interface RunOptions {
  /** Only cases whose ID begins with it. */
  readonly only?: string;
  readonly onResult?: (result: CaseResult) => void;
}

const recoveryMs = 40_000;
/** How long a seller has to charge for what it has refused, before the last look at the chain. */
const lateMs = 3_000;

/**
 * Runs cases one after the other. After each, what was paid on the chain is compared with what was delivered, whatever the seller
 * says; and once more at the end, because a seller may still submit a payment that it has refused.
 */
export async function runPaidCases(
  cases: readonly PaidCase[],
  around: Surroundings,
  { only = '', onResult }: RunOptions = {},
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  const audited: { readonly id: string; readonly seller: PaidSeller }[] = [];
  const report = (result: CaseResult) => {
    results.push(result);
    onResult?.(result);
  };

  // So that it is known whether the seller uses the facilitator.
  await (await PaidSeller.open(around)).buy().catch(() => undefined);

  for (const one of cases.filter(({ id }) => id.startsWith(only))) {
    if (around.process?.hasExited()) await around.process.start();
    const seller = await PaidSeller.open(around);
    const { id, title } = one;
    try {
      const { finding, rule } = await checkWithLedger(one, seller, around);
      if (finding.result === 'pass') audited.push({ id, seller });
      report({ id, title, rule, finding });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      report({ id, title, rule: one.rule, finding: { result: 'error', detail } });
    } finally {
      around.node.faults.clear();
      around.facilitator.faults.clear();
    }
  }
  if (only === '') {
    await sleep(lateMs);
    report(await auditAll(audited));
  }
  return results;
}

async function checkWithLedger(one: PaidCase, seller: PaidSeller, around: Surroundings) {
  const { rule } = one;
  const unable = missingFor(one, seller);
  if (unable) return { finding: unable, rule };
  const finding = await one.check(seller);
  around.node.faults.clear();
  around.facilitator.faults.clear();
  if (around.process?.hasExited()) {
    await around.process.start();
    return { finding: fail('The process of the seller ended during this case.'), rule: rules.success };
  }
  const difference = finding.result === 'not applicable' ? null : await seller.ledger.audit();
  const recovery: Finding = one.breaks ? await recover(around) : pass;
  if (finding.result !== 'pass') return { finding, rule };
  if (difference !== null) return { finding: fail(difference), rule: rules.success };
  return { finding: recovery, rule: recovery.result === 'pass' ? rule : rules.success };
}

/** Waits until the seller serves again. */
async function recover(around: Surroundings): Promise<Finding> {
  await around.facilitator.renew();
  for (const deadline = Date.now() + recoveryMs; ; await sleep(500)) {
    const seller = await PaidSeller.open(around);
    if (!seller.x402 && !seller.mpp) return fail('It offered nothing any more after the fault.');
    const reply = await seller.buy();
    if (isDelivery(reply)) return pass;
    if (Date.now() > deadline)
      return fail(`It did not serve again within ${recoveryMs / 1000} seconds after the fault.`, reply);
  }
}

async function auditAll(
  audited: readonly { readonly id: string; readonly seller: PaidSeller }[],
): Promise<CaseResult> {
  const differences: string[] = [];
  for (const { id, seller } of audited) {
    const { paid, delivered } = await seller.ledger.balance();
    if (seller.ledger.isOpen(paid, delivered)) differences.push(`${id}: paid ${paid}, owed ${delivered}`);
  }
  return {
    id: 'ledger.late-charges',
    title: 'charges nobody later for what it has refused',
    rule: rules.paymentFailed,
    finding: differences.length === 0 ? pass : fail(...differences),
  };
}
