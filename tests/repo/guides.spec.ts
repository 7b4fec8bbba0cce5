import { type ErrorCode, errors, type PaymentOutcome } from '@/lib/catalog/errors/codes';
import { paidErrors } from '@/lib/catalog/paid-errors';
import { evmNetworks, evmTestNetworks, solanaClusters } from '@/local/networks';
import { blocksOf, fileNameOf, installedBy, pages } from '../support/guides';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

/** Checks what guides say outside their samples. tests/api/guides.spec.ts runs the samples. */

test('a file that a page tells readers to save is used by a command on the page', async () => {
  for (const page of pages) {
    const blocks = await blocksOf(page);
    const typed = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
    for (const name of blocks.map(fileNameOf)) if (name) expect(typed.join('\n'), page).toContain(` ${name}`);
  }
});

test('a block of output follows the commands that print it', async () => {
  for (const page of pages) {
    const blocks = await blocksOf(page);
    for (const [index, { language, name }] of blocks.entries()) {
      if (language === 'text') expect(blocks[index - 1]?.language, name).toBe('sh');
    }
  }
});

test('guides install the versions that the tests use', async () => {
  for (const page of pages) {
    for (const { name, version } of installedBy(await blocksOf(page))) {
      const { version: here } = JSON.parse(read(`node_modules/${name}/package.json`));
      expect([name, version]).toEqual([name, here]);
    }
  }
});

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const page of pages) {
    for (const [, name = ''] of read(page).matchAll(/\bnpm (?:run )?((?<=run )[\w:]+|start|test)\b/g)) {
      expect(Object.keys(scripts), page).toContain(name);
    }
  }
});

const words: Readonly<Record<PaymentOutcome, RegExp>> = {
  none: /^(No\b|Never$|Not by this)/,
  in_flight: /^Not known yet/,
  kept: /^Yes/,
  unknown: /^Not known/,
  refunded: /^Refunded/,
};

/** The rows of tables that say whether something was charged: the codes in the first cell, and the text of the second. */
function chargedRows(page: string): { codes: { status: number; code: string }[]; charged: string }[] {
  const tables = read(page).match(/(^\|.*\|\n)+/gm) ?? [];
  return tables
    .filter((table) => /charged\?/i.test(table.split('\n')[0] ?? ''))
    .flatMap((table) => table.trim().split('\n').slice(2))
    .map((row) => {
      const [, first = '', charged = ''] = row.split('|').map((cell) => cell.trim());
      let status = 0;
      const codes = [...first.matchAll(/\b(\d{3})\b|`([a-z_]+)`/g)].flatMap(([, number, code]) => {
        if (number) status = Number(number);
        return code && status > 0 ? [{ status, code }] : [];
      });
      return { codes, charged };
    });
}

test('guides describe errors and payment outcomes as the catalog does', () => {
  for (const page of pages) {
    for (const { codes, charged } of chargedRows(page)) {
      for (const { status, code } of codes) {
        expect(Object.keys(errors), page).toContain(code);
        const { payment, status: known } = errors[code as ErrorCode];
        expect([page, code, status]).toEqual([page, code, known]);
        if (!charged.startsWith('See ')) expect(charged, `${page}: ${code}`).toMatch(words[payment]);
      }
    }
  }
});

test('the payment guides name every network and every error of paid calls', () => {
  for (const [rail, page] of [
    ['x402', 'docs/paying-with-x402.md'],
    ['mpp', 'docs/paying-with-mpp.md'],
  ] as const) {
    const told = chargedRows(page).flatMap(({ codes }) => codes.map(({ code }) => code));
    expect(told.sort(), page).toEqual([...paidErrors[rail], 'payment_required'].sort());
  }
  const [x402, mpp] = ['docs/paying-with-x402.md', 'docs/paying-with-mpp.md'].map(read);
  for (const { chainId, usdc } of [...evmNetworks, ...evmTestNetworks]) {
    expect(x402).toContain(`\`eip155:${chainId}\``);
    expect(mpp).toContain(`{ chainId: ${chainId}, usdc: '${usdc}'`);
  }
  for (const { caip2 } of Object.values(solanaClusters)) expect(x402).toContain(`\`${caip2}\``);
});
