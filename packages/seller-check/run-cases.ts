import type { Finding, SellerCase } from './case';

/** What a run found out about one rule. */
export interface CaseResult extends Pick<SellerCase<never>, 'id' | 'title' | 'rule'> {
  readonly finding:
    | Finding
    /** The check itself failed, so it says nothing about the seller. */
    | { readonly result: 'error'; readonly detail: string };
}

interface RunOptions {
  /** Only cases whose ID begins with it. */
  readonly only?: string;
  /** Called after each case. */
  readonly onResult?: (result: CaseResult) => void;
}

/** Checks a seller, one case after the other: sellers limit how fast they are called. An exception ends its case only. */
export async function runCases<Seller>(
  cases: readonly SellerCase<Seller>[],
  seller: Seller,
  { only = '', onResult }: RunOptions = {},
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { id, title, rule, check } of cases.filter((one) => one.id.startsWith(only))) {
    const finding = await check(seller).catch((error: unknown) => ({
      result: 'error' as const,
      detail: error instanceof Error ? error.message : String(error),
    }));
    const result = { id, title, rule, finding };
    results.push(result);
    onResult?.(result);
  }
  return results;
}
