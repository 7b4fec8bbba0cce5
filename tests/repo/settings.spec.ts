import { expect, test } from '@playwright/test';
import { parseSettings, settingsSchema } from '@/lib/platform/settings';
import { read } from './sources';

/** `NAME=` and `# NAME=` lines: what must be set, and what has a value when it is not. */
const exampleNames = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(
  ([, name]) => name,
);

test('.env.example lists every setting, once', () => {
  expect([...exampleNames].sort()).toEqual(Object.keys(settingsSchema.shape).sort());
});

test('.env.example describes every group of settings', () => {
  for (const block of read('.env.example').trim().split(/\n\n+/)) {
    expect(block.split('\n')[0], block).toMatch(/^# \S/);
  }
});

test('.env.example contains no key or secret', () => {
  expect(read('.env.example')).not.toMatch(/=(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{80,}|[A-Za-z0-9+/]{43}=)/);
});

test('a server without settings reports all missing ones at once, by name and without values', () => {
  expect(() => parseSettings({ DATA_KEY: 'not-a-key-but-secret' })).toThrow(
    /DATABASE_URL[\s\S]*PUBLIC_URL[\s\S]*FILES_URL[\s\S]*DATA_KEY/,
  );
  expect(() => parseSettings({ DATA_KEY: 'not-a-key-but-secret' })).not.toThrow(/not-a-key-but-secret/);
});
