import { test } from '@playwright/test';
import { journalCases } from './stores/journal-cases';
import { memoryWorld } from './stores/journal-world';

for (const { title, run } of journalCases) test(title, async () => run(await memoryWorld()));
