import { adapterErrorCodes } from '@/lib/catalog/adapter';
import { errors } from '@/lib/catalog/errors/codes';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** Tests that send requests: to a server, through the adapter, or to a service with a real browser. */
const asking = listFiles(/^tests\/(api|mcp|pages|reader|recovery)\/.*\.ts$|^tests\/unit\/client-error/).map(
  read,
);

test('every documented error is provoked by a test', () => {
  const unseen = Object.keys(errors).filter((code) =>
    asking.every((source) => !new RegExp(`['"\`]${code}['"\`]`).test(source)),
  );
  expect(unseen).toEqual([]);
});

test('every error of the MCP adapter is explained in its guide', () => {
  const guide = read('docs/mcp.md');
  for (const code of adapterErrorCodes) expect(guide).toContain(`| \`${code}\` |`);
});
