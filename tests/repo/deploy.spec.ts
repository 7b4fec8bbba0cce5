import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { freeOperations } from '@/lib/catalog';
import { formLimits } from '@/lib/catalog/form-questions';
import { settingsSchema } from '@/lib/platform/settings';
import { productionTimings } from '@/lib/platform/timings';
import { fullTierPackages } from '../support/full-tier-packages';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

const dockerfile = read('deploy/Dockerfile');
/** The instructions, without comments and with continued lines joined. */
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '');
const runtime = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM')));
const unit = read('deploy/tuppence@.service');
const caddyfile = read('deploy/Caddyfile');
const nginxConf = read('deploy/nginx.conf');

const service = z.object({
  environment: z.record(z.string(), z.string()),
  env_file: z.array(z.string()).optional(),
  image: z.string().optional(),
  entrypoint: z.array(z.string()).optional(),
  user: z.string().optional(),
  healthcheck: z
    .object({ disable: z.literal(true).optional(), test: z.array(z.string()).optional() })
    .optional(),
  command: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  tmpfs: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  ports: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }),
});
const compose = z
  .object({
    services: z.object({
      database: service,
      backup: service,
      proxy: service,
      server: service,
      worker: service,
    }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(read('deploy/compose.yaml'), { merge: true }));
const { server, worker, proxy, database, backup } = compose.services;

const settings = new Set(Object.keys(settingsSchema.shape));
/** Read by Node, by the framework, and by the other programs of compose.yaml. */
const otherVariables = [
  ...['NODE_ENV', 'NEXT_TELEMETRY_DISABLED', 'POSTGRES_PASSWORD', 'UPSTREAM', 'BACKUP_KEEP_DAYS'],
  ...['PGDATABASE', 'PGHOST', 'PGPASSWORD', 'PGUSER'],
];
/** What only `npm ci` and the build make. */
const madeByBuild = ['node_modules', '.next', 'dist'];
const port = String(settingsSchema.shape.PORT.parse(undefined));
/** How long a server may take to stop: first its requests, then its jobs. */
const stopMs = productionTimings.server.drainMs + productionTimings.jobs.stopMs;
/** How long responses that do not wait for a form's answers may take (docs/deploying.md, "Reverse proxy"). */
const answerSeconds = 60;
const seconds = (text: string | undefined) => Number(/^(\d+)s?$/.exec(text ?? '')?.[1]);

test('the Dockerfile has no syntax errors and no deprecated instructions', fullOnly, async () => {
  const { validate } = await fullTierPackages.dockerfileUtils();
  expect(validate(dockerfile)).toEqual([]);
  expect(validate('FROM a\nRUM b').length, 'the validator finds errors').toBeGreaterThan(0);
});

test('the version of Node in the image is one that package.json supports', () => {
  const { engines } = z
    .object({ engines: z.object({ node: z.string() }) })
    .parse(JSON.parse(read('package.json')));
  const [, major] = /^ARG NODE_IMAGE=node:(\d+)-/m.exec(dockerfile) ?? [];
  const [, least] = /^>=(\d+)\.\d+$/.exec(engines.node) ?? [];
  expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
  expect(read('docs/deploying.md')).toContain(`Node ${major}`);
});

test('the image has every file that a running server reads, and nothing else', () => {
  expect(runtime).toContain('COPY --from=build /deployed ./');
  const [, own = ''] = /^const own = \[(.*?)\];$/ms.exec(read('scripts/deployable.mjs')) ?? [];
  const copied = [...[...own.matchAll(/'([^']+)'/g)].map(([, file = '']) => file), ...madeByBuild];
  // What only a build makes is not in the sources.
  for (const file of copied) expect(existsSync(file) || madeByBuild.includes(file), file).toBe(true);
  const needed = [
    'dist',
    'docs',
    'lib/discovery/typed-clients/tuppence.mts',
    'lib/discovery/typed-clients/tuppence.py',
    'lib/http/api-headers.json',
    'next.config.mjs',
    'node_modules',
    'package.json',
  ];
  expect(copied.toSorted()).toEqual([...needed, '.next', 'prisma/migrations', 'public'].toSorted());
  const folders = ['lib', 'app'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const sources = folders.filter((file) => /\.tsx?$/.test(file) && !file.includes('/generated/')).map(read);
  const readHere = sources.flatMap((text) =>
    [...text.matchAll(/process\.cwd\(\), '([^']+)'/g)].map(([, file = '']) => file.split('/')[0] ?? ''),
  );
  const tops = copied.map((file) => file.split('/')[0]);
  expect(readHere.length).toBeGreaterThan(2);
  for (const file of new Set(readHere)) expect(tops, file).toContain(file);
});

test('the container runs as a numeric user that is not root, under an init, and by signals that reach it', () => {
  expect(runtime).toContainEqual(expect.stringMatching(/^USER [1-9]\d+:[1-9]\d+$/));
  expect(runtime).toContain('ENTRYPOINT ["tini", "--"]');
  expect(runtime).toContain('CMD ["node", "dist/server.js"]');
  expect(runtime.join('\n')).toMatch(/apt-get install .*\btini\b/);
});

test('the health check asks for liveness on the port of the image, without programs that a slim image lacks', () => {
  const [, check = ''] = /^HEALTHCHECK .*CMD (.*)$/m.exec(runtime.join('\n')) ?? [];
  const [program, flag, code] = z.array(z.string()).parse(JSON.parse(check));
  expect([program, flag]).toEqual(['node', '-e']);
  const path = freeOperations.find(({ id }) => id === 'health')?.path;
  expect(path).toBeDefined();
  expect(code).toContain(`127.0.0.1:\${process.env.PORT}${path}\``);
  expect(() => new Function(code ?? '')).not.toThrow();
  expect(dockerfile).toContain(`PORT=${port}`);
  expect(runtime).toContain(`EXPOSE ${port}`);
});

test('settings that deploy/ names exist', () => {
  const inImage = [...dockerfile.matchAll(/^(?:ENV|) +([A-Z_]+)=|^ENV ([A-Z_]+)=/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  const inUnit = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=')[0] ?? ''),
  );
  const inCaddyfile = [...caddyfile.matchAll(/\{\$([A-Z_]+)/g)].map(([, name = '']) => name);
  const inCompose = [server, worker, proxy, backup].flatMap(({ environment }) => Object.keys(environment));
  const interpolated = [...read('deploy/compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(
    ([, name = '']) => name,
  );
  const named = [...inImage, ...inUnit, ...inCaddyfile, ...inCompose, ...interpolated];
  expect(named).toEqual(
    expect.arrayContaining(['STORAGE_DIR', 'PORT', 'TRUSTED_PROXIES', 'FILES_URL', 'PUBLIC_URL']),
  );
  expect(named.filter((name) => !settings.has(name) && !otherVariables.includes(name))).toEqual([]);
  for (const name of inCaddyfile) expect(Object.keys(proxy.environment), name).toContain(name);
});

test('every way to run it waits longer for a stop than a server may take', () => {
  for (const { stop_grace_period: period } of [server, worker])
    expect(seconds(period) * 1_000).toBeGreaterThan(stopMs);
  expect(seconds(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1]) * 1_000).toBeGreaterThan(stopMs);
  const told = [
    ...read('docs/deploying.md').matchAll(
      /--stop-timeout (\d+)|kill_timeout = "(\d+)s"|DelaySeconds: (\d+)/g,
    ),
  ];
  expect(told).toHaveLength(3);
  for (const [text, ...values] of told)
    expect(Number(values.find((value) => value)) * 1_000, text).toBeGreaterThan(stopMs);
});

test('containers have a read-only root, no capabilities, and a /tmp that may execute', () => {
  for (const { read_only, cap_drop, security_opt, tmpfs = [] } of [server, worker]) {
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    expect(security_opt).toEqual(['no-new-privileges:true', 'seccomp=seccomp.json']);
    expect(tmpfs).toEqual([expect.stringMatching(/^\/tmp:(.*,)?exec\b/)]);
  }
  expect(existsSync('deploy/seccomp.json')).toBe(true);
  // The database and the server can only be reached through the proxy.
  expect([database.ports, server.ports, worker.ports]).toEqual([undefined, undefined, undefined]);
  expect(worker).toMatchObject({ command: ['node', 'dist/worker.js'], healthcheck: { disable: true } });
  expect(server.volumes).toEqual(['files:/data']);
  expect(runtime.join('\n')).toContain('STORAGE_DIR=/data/');
  expect(server.env_file).toEqual(['settings.env']);
});

test('a dump of the database is made once a day, is complete or absent, and old ones go when there is a new one', () => {
  // The same version as the server: pg_dump refuses newer servers.
  expect([backup.image, backup.user, backup.read_only, backup.cap_drop]).toEqual([
    database.image,
    'postgres',
    true,
    ['ALL'],
  ]);
  expect(backup.entrypoint).toEqual(['sh', '/backup.sh']);
  const folder = mkdtempSync(path.join(tmpdir(), 'tuppence-backup-'));
  try {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    // Stands for the real one, which writes the file that it is told to, or fails half-way.
    const program = [
      '#!/bin/sh',
      'for arg; do case $arg in --file=*) echo x > "$(echo "$arg" | cut -c8-)";; esac; done',
      'exit "$FAILS"',
    ];
    writeFileSync(path.join(bin, 'pg_dump'), program.join('\n'), { mode: 0o755 });
    const run = (fails: 0 | 1) =>
      spawnSync('sh', ['deploy/backup.sh', 'once'], {
        env: {
          ...process.env,
          PATH: `${bin}:${process.env.PATH}`,
          FAILS: String(fails),
          BACKUP_FOLDER: folder,
          BACKUP_KEEP_DAYS: '14',
        },
      }).status;
    const dumps = () => readdirSync(folder).filter((file) => file !== 'bin');
    const made = (file: string, daysAgo: number) => {
      writeFileSync(path.join(folder, file), 'x');
      utimesSync(path.join(folder, file), new Date(), new Date(Date.now() - daysAgo * 86_400_000));
    };
    made('tuppence-old.dump', 20);
    made('tuppence-yesterday.dump', 1.1);
    made('somebody-elses.dump', 20);
    expect([run(1), dumps().toSorted()]).toEqual([
      1,
      ['somebody-elses.dump', 'tuppence-old.dump', 'tuppence-yesterday.dump'],
    ]);
    expect(run(0)).toBe(0);
    const after = dumps().toSorted();
    expect(after).toEqual([
      'somebody-elses.dump',
      expect.stringMatching(/^tuppence-\d{8}T\d{6}Z\.dump$/),
      'tuppence-yesterday.dump',
    ]);
    expect([run(1), dumps().toSorted()]).toEqual([0, after]);
    // What the container counts as healthy.
    const [kind, check = ''] = backup.healthcheck?.test ?? [];
    const isHealthy = () =>
      spawnSync('sh', ['-c', check.replace('/var/lib/postgresql', folder)]).status === 0;
    expect([kind, isHealthy()]).toEqual(['CMD-SHELL', true]);
    made(after[1] ?? '', 2);
    made('tuppence-yesterday.dump', 3);
    expect(isHealthy()).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the kernel calls that isolate a browser are allowed, and mounts are not', () => {
  const profile = z
    .object({
      defaultAction: z.literal('SCMP_ACT_ALLOW'),
      syscalls: z.array(z.object({ names: z.array(z.string()), action: z.literal('SCMP_ACT_ERRNO') })),
    })
    .parse(JSON.parse(read('deploy/seccomp.json')));
  const denied = profile.syscalls.flatMap(({ names }) => names);
  expect(denied).toEqual(expect.arrayContaining(['mount', 'bpf', 'ptrace', 'init_module', 'io_uring_setup']));
  for (const name of ['clone', 'clone3', 'unshare', 'setns', 'chroot']) expect(denied).not.toContain(name);
  expect(new Set(denied).size).toBe(denied.length);
});

test('the systemd unit isolates the server and leaves the browser its namespaces', () => {
  const entries = new Map(
    [...unit.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
  );
  expect(entries.get('RestrictNamespaces')?.split(' ')).toEqual(
    expect.arrayContaining(['user', 'pid', 'net']),
  );
  expect(entries.get('SystemCallFilter')?.split(' ')).toContain('chroot');
  expect(entries.get('NoNewPrivileges')).toBe('yes');
  expect(entries.get('ProtectSystem')).toBe('strict');
  expect(entries.get('PrivateTmp')).toBe('yes');
  for (const key of ['MemoryDenyWriteExecute', 'ProcSubset']) expect(entries.has(key), key).toBe(false);
  expect(entries.get('ExecStart')).toBe('/usr/bin/env PORT=%i /usr/bin/node dist/server.js');
  // Without a name, each instance would be another user, and take the files from the other one.
  expect([entries.get('DynamicUser'), entries.get('User')]).toEqual(['yes', 'tuppence']);
  for (const [, upstreamPort] of nginxConf.matchAll(/^\tserver 127\.0\.0\.1:(\d+) max_fails=0;$/gm))
    expect(read('docs/operating.md'), upstreamPort).toContain(`tuppence@${upstreamPort}`);
  expect(unit).toContain(`STORAGE_DIR=/var/lib/${entries.get('StateDirectory')}/`);
  const [, folder] = /(STORAGE_DIR=\S+)/.exec(unit) ?? [];
  expect(read('docs/deploying.md'), 'operator commands have the settings of the server').toContain(
    `cd ${entries.get('WorkingDirectory')?.replace('%i', port)}\n  ${folder} node --env-file=${entries.get('EnvironmentFile')} dist/tuppence.js `,
  );
});

test('the proxy serves both hosts from one server and keeps what is for the operator to itself', () => {
  const sites = [...caddyfile.matchAll(/^\{\$(\w+)\} \{$([\s\S]*?)^\}$/gm)].map(
    ([, name, body = '']) => [name, body] as const,
  );
  expect(sites.map(([name]) => name)).toEqual(['PUBLIC_URL', 'FILES_URL']);
  for (const [, body] of sites) expect(body).toContain('import server');
  const [[, api] = []] = sites;
  expect(api).toMatch(/respond \/metrics 404/);
  expect(api).toMatch(/respond \/internal\/\* 404/);
  expect(proxy.environment.UPSTREAM).toBe(`server:${port}`);
  expect(caddyfile).toContain(`{$UPSTREAM:127.0.0.1:${port}}`);
  expect(server.environment.TRUSTED_PROXIES).toBe('1');
});

test('nginx lets challenges, payments, files and long waits through, and hides what is for the operator', () => {
  const entries = new Map(
    [...nginxConf.matchAll(/^\t([a-z_]+) (.*);$/gm)].map(([, key = '', value = '']) => [key, value]),
  );
  const kib = (name: string) => Number(/(\d+)k$/.exec(entries.get(name) ?? '')?.[1]);
  expect(kib('proxy_buffer_size')).toBe(64);
  // nginx refuses to start unless the busy buffers are larger than one and smaller than all but one.
  expect(kib('proxy_busy_buffers_size')).toBeGreaterThanOrEqual(64);
  expect(entries.get('proxy_buffers')).toBe('8 64k');
  expect(entries.get('large_client_header_buffers')).toBe('4 32k');
  expect(seconds(entries.get('proxy_read_timeout'))).toBeGreaterThan(formLimits.waitSecondsMax + 10);
  expect(entries.get('proxy_next_upstream')).toBe('error');
  expect(nginxConf).toContain('location ~ ^/(metrics|internal)(/|$) {');
  expect(nginxConf).toContain(`server 127.0.0.1:${port} max_fails=0;`);
  const page = read('docs/deploying.md');
  for (const name of ['proxy_buffers', 'proxy_busy_buffers_size', 'large_client_header_buffers'])
    expect(page).toContain(`${name} ${entries.get(name)}`);
  // With the default of nginx and others, which is 60 seconds.
  expect(formLimits.waitAnsweredSeconds).toBeLessThan(60);
});

test('the log of no container grows without a limit', () => {
  for (const [name, { logging }] of Object.entries(compose.services)) {
    expect(logging.options['max-size'], name).toMatch(/^\d+m$/);
    expect(Number(logging.options['max-file']), name).toBeGreaterThan(1);
  }
});

test('on Vercel each function may take longer than its longest request, and the scheduler runs the jobs', () => {
  const vercel = z
    .strictObject({
      $schema: z.literal('https://openapi.vercel.sh/vercel.json'),
      framework: z.literal('nextjs'),
      installCommand: z.literal('npm ci'),
      buildCommand: z.literal('npm run build'),
      // A single region: that of the database.
      regions: z.tuple([z.string().regex(/^[a-z]{3}\d$/)]),
      // Memory is chosen in the project's settings. Where one function handles concurrent requests, the file must not set it.
      functions: z.record(z.string(), z.strictObject({ maxDuration: z.number().int().max(300) })),
      crons: z.tuple([z.strictObject({ path: z.string(), schedule: z.literal('* * * * *') })]),
    })
    .parse(JSON.parse(read('deploy/vercel.json')));
  expect(existsSync(`app${vercel.crons[0].path}/route.ts`)).toBe(true);
  // The first pattern that matches a route applies.
  const patterns = Object.keys(vercel.functions);
  // `**` does not match folders whose names begin with a dot.
  const hidden = readdirSync('app').filter((name) => name.startsWith('.'));
  const general = [...hidden.map((name) => `app/${name}/**`), 'app/**'];
  const named = patterns.filter((pattern) => !general.includes(pattern));
  expect(patterns).toEqual([...named, ...general]);
  for (const file of named) expect(existsSync(file), file).toBe(true);
  const duration = (pattern: string) => vercel.functions[pattern]?.maxDuration ?? 0;
  for (const pattern of general)
    expect(duration(pattern), pattern).toBeGreaterThan(formLimits.waitSecondsMax + answerSeconds);
  for (const file of named) expect(duration(file), file).toBeGreaterThan(answerSeconds);
});

test('no image is built from settings or from what was built elsewhere', () => {
  const ignored = read('deploy/Dockerfile.dockerignore').split('\n');
  const ofGit = read('.gitignore')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line && !line.startsWith('!'));
  const missing = ofGit.filter((line) => !ignored.includes(line));
  // The build writes them again, and one is in a folder that is left out.
  expect(missing.toSorted()).toEqual(['.build', 'deploy/settings.env', 'next-env.d.ts'].toSorted());
  expect(ignored).toContain('.env.*');
});
