export type TestNeed = 'build' | 'browser' | 'database' | 'full-tier packages' | 'stack';

export function findTestNeeds(root: string, args: readonly string[]): Set<TestNeed>;

export function chooseTests(root: string, args: readonly string[]): string[];
