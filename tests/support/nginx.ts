import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '@/local/free-port';

/** nginx with deploy/nginx.conf. */
export interface Nginx {
  readonly apiUrl: string;
  readonly filesUrl: string;
  /** The certificate of both hosts, for `NODE_EXTRA_CA_CERTS`. */
  readonly certificate: string;
  /** The two ports to which it sends requests. */
  readonly ports: readonly [number, number];
  close(): Promise<void>;
}

interface NginxOptions {
  readonly isEncrypted?: boolean;
  readonly change?: (text: string) => string;
}

/**
 * deploy/nginx.conf as a careless proxy would have it: with the usual buffers and limits, believing any address that a client
 * claims, and showing what is for the operator.
 * @param buffer its size for the headers of answers; a challenge is longer
 */
export function makeCareless(text: string, buffer: '2k' | '4k'): string {
  return text
    .replaceAll(
      /^\t(proxy_buffer_size|proxy_buffers|proxy_busy_buffers_size|large_client|client_max).*\n/gm,
      '',
    )
    .replace('$proxy_add_x_forwarded_for', '$http_x_forwarded_for')
    .replace(/location ~ \^\/\(metrics[\s\S]*?\}/, '')
    .replace('proxy_http_version 1.1;', `proxy_http_version 1.1; proxy_buffer_size ${buffer};`);
}

/** Why tests with nginx are skipped here; false where it is installed. */
export function isNginxMissing(): string | false {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore', env: environment });
    return false;
  } catch {
    return 'nginx is not installed';
  }
}

/** Debian installs it where only root looks for programs. */
const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/**
 * Starts nginx with the file in deploy/ as it is, but for hosts, ports and certificate.
 * @param options `isEncrypted`: whether clients use TLS. `change`: of the file's text, for a proxy that is set up wrongly
 */
export async function startNginx({
  isEncrypted = true,
  change = (text) => text,
}: NginxOptions = {}): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-nginx-'));
  const [plain, encrypted] = [await findFreePort(), await findFreePort()];
  const ports = [await findFreePort(), await findFreePort()] as const;
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  await promisify(execFile)('openssl', [
    ...request,
    ...['-subj', '/CN=localhost', '-addext', names, '-keyout', key, '-out', certificate],
  ]);
  const text = (await readFile('deploy/nginx.conf', 'utf8'))
    .replaceAll(/^\tlisten \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ', `listen 127.0.0.1:${encrypted} `)
    .replace(' ssl http2;', isEncrypted ? ' ssl http2;' : ';')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    .replaceAll('api.example.com', 'localhost')
    .replaceAll('files.example.net', '127.0.0.1')
    .replace('127.0.0.1:3402 ', `127.0.0.1:${ports[0]} `)
    .replace('127.0.0.1:3403 ', `127.0.0.1:${ports[1]} `);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${path.join(folder, name)};`)
    .join(' ');
  await writeFile(path.join(folder, 'tuppence.conf'), change(text));
  await mkdir(path.join(folder, 'logs'));
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporary} include ${folder}/tuppence.conf; }`,
  );
  const args = ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', 'stderr'];
  const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exited = once(child, 'exit');
  while (!(await accepts(encrypted))) {
    if (child.exitCode !== null) throw new Error(`nginx did not start:\n${errors}`);
    await sleep(50);
  }
  return {
    apiUrl: `${isEncrypted ? 'https' : 'http'}://localhost:${encrypted}`,
    filesUrl: `${isEncrypted ? 'https' : 'http'}://127.0.0.1:${encrypted}`,
    certificate,
    ports,
    async close() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
