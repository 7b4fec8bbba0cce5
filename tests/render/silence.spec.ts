import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '../support/without-browser';
import { hostile } from './hostile';
import type { Heard } from './silence-program';

const namespaces = [...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--net', '--mount'];
const hasNamespaces =
  process.platform === 'linux' && spawnSync('unshare', [...namespaces, 'true']).status === 0;

test('without the HTML check and with a network, no hostile document loads or resolves anything', async () => {
  test.skip(!hasNamespaces, 'a network of its own for the test takes Linux and unshare');
  test.setTimeout(240_000);
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-silence-'));
  try {
    const resolver = path.join(folder, 'resolv.conf');
    await writeFile(resolver, 'nameserver 127.0.0.1\n');
    const inside = `ip link set lo up && mount --bind "${resolver}" /etc/resolv.conf && exec "$@"`;
    const program = [process.execPath, '--import', 'tsx', 'tests/render/silence-program.ts'];
    const { stdout } = await promisify(execFile)(
      'unshare',
      [...namespaces, 'sh', '-c', inside, 'sh', ...program],
      { env: { ...process.env, NODE_OPTIONS: '' }, maxBuffer: 1 << 24 },
    );
    const { ordinary, leaks, printed } = JSON.parse(stdout) as Heard;
    expect(ordinary.connections, 'an ordinary browser is heard').toBeGreaterThan(0);
    expect(ordinary.lookUps).toContain('evil.test');
    expect(leaks).toEqual({});
    expect(printed).toBeGreaterThan(Object.keys(hostile).length * 0.9);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
