import type { PlantedBug } from './bugs';

/** Mistakes in the code that keeps strangers out. */
export const wallBugs: readonly PlantedBug[] = [
  {
    bug: 'a sign-in of a wallet is good for any number of requests',
    changes: [
      {
        file: 'lib/payments/sign-in/used-sign-ins.ts',
        find: '  return used.count === 1;',
        replace: '  return true;',
      },
    ],
    foundBy: ['tests/api/wallet-sign-in.spec.ts'],
    needsServers: 'the server reads the sign-in from the headers of a request',
  },
  {
    bug: 'a wallet is shown the calls of another one',
    changes: [
      {
        file: 'lib/ledger/wallet-calls.ts',
        find: '    where: { id, payer },',
        replace: '    where: { id },',
      },
    ],
    foundBy: ['tests/api/wallet-lists.spec.ts'],
    needsServers: 'the wallet of a request is the one that its headers prove',
  },
  {
    bug: 'a contract wallet owns what was bought at its address on other networks',
    changes: [
      {
        file: 'lib/payments/payment.ts',
        find: '  return isPayerProven(payment) ? null : payment.network;',
        replace: '  return isPayerProven(payment) ? null : null;',
      },
    ],
    foundBy: ['tests/api/contract-wallets.spec.ts'],
    needsServers:
      'the owner of a request follows from the signature in its headers, which a wallet on a chain proves',
  },
  {
    bug: 'a page of a contract wallet has a cursor of the owner of another one',
    changes: [
      {
        file: 'lib/platform/database/page.ts',
        find: '  return { rows, nextCursor: chosen.length > limit ? (rows.at(-1)?.id ?? null) : null };',
        replace: '  return { rows, nextCursor: chosen.length > limit ? (last?.id ?? null) : null };',
      },
    ],
    foundBy: ['tests/repo/wallet-lists.spec.ts'],
    needsServers: 'the tests of these lists pay at the server for what they list',
  },
  {
    bug: 'the files that strangers wrote may call the MCP server',
    changes: [
      {
        file: 'lib/discovery/mcp/endpoint.ts',
        find: '  if (host === new URL(settings.FILES_URL).host) return false;\n',
        replace: '',
      },
    ],
    foundBy: ['tests/api/mcp-messages.spec.ts', 'tests/api/mcp.spec.ts'],
    needsServers: 'it is about the origins of browsers, as the server reads them',
  },
  {
    bug: 'any token opens the metrics and starts the jobs',
    changes: [
      {
        file: 'lib/operator/require-token.ts',
        find: 'if (isSameSecret(given, secret)) return;',
        replace: "if (given !== '' || isSameSecret(given, secret)) return;",
      },
    ],
    foundBy: ['tests/api/metrics.spec.ts', 'tests/recovery/cron.spec.ts'],
    needsServers: 'the tokens are those of routes of the server',
  },
  {
    bug: 'the reader opens pages of private networks',
    changes: [
      {
        file: 'lib/platform/addresses/target.ts',
        find: '  if (parsed instanceof ipaddr.IPv4) return !special4.some((range) => parsed.match(range));',
        replace: '  if (parsed instanceof ipaddr.IPv4) return true;',
      },
    ],
    foundBy: ['tests/unit/public-address.spec.ts'],
  },
  {
    bug: 'a name with a public address among private ones is connected to',
    changes: [
      {
        file: 'lib/services/research/reader/egress/dial.ts',
        find: 'addresses.every((address)',
        replace: 'addresses.some((address)',
      },
    ],
    foundBy: ['tests/reader/egress.spec.ts'],
  },
  {
    bug: 'a page ends the server by a response with an invalid status',
    changes: [
      {
        file: 'lib/services/research/reader/egress/proxy.ts',
        find: '  if (statusCode < finalStatusMin) return false;\n',
        replace: '',
      },
      {
        file: 'lib/services/research/reader/egress/proxy.ts',
        find: '  } catch {\n',
        replace: '  } catch (error) {\n    if (error) throw error;\n',
      },
    ],
    foundBy: ['tests/reader/egress.spec.ts'],
  },
  {
    bug: "the reader runs strangers' scripts without a sandbox",
    changes: [
      {
        file: 'lib/services/research/reader/reading-pool.ts',
        find: 'needsSandbox: options.allowsNoSandbox !== true,',
        replace: 'needsSandbox: false,',
      },
    ],
    foundBy: ['tests/reader/sandbox.spec.ts'],
  },
  {
    bug: 'a file with other bytes than were paid for is kept',
    changes: [
      {
        file: 'lib/platform/storage/verified-copy.ts',
        find: `  return hash.digest('hex') === expected.sha256 ? null : 'altered';`,
        replace: '  return null;',
      },
    ],
    foundBy: ['tests/unit/storage-disk.spec.ts'],
  },
  {
    bug: 'a file runs scripts with the rights of its origin',
    changes: [
      {
        file: 'lib/http/files/serve-file.ts',
        find: `"sandbox; default-src 'none'; img-src`,
        replace: `"default-src * 'unsafe-inline'; img-src`,
      },
    ],
    foundBy: ['tests/api/files.spec.ts'],
    needsServers: 'it is about the headers that the server sends with a file',
  },
  {
    bug: 'a cache may keep what was paid for',
    changes: [
      {
        file: 'lib/http/respond.ts',
        find: `'Cache-Control': 'private, no-store', ...headers`,
        replace: `'Cache-Control': 'public, max-age=60', ...headers`,
      },
    ],
    foundBy: ['tests/api/replay.spec.ts', 'tests/api/challenge.spec.ts', 'tests/api/first-call.spec.ts'],
    needsServers: 'it is about the headers that the server sends',
  },
];
