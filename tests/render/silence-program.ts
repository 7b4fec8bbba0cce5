/**
 * Prints every hostile document, unchecked, in a browser that only its own settings restrict, and reports what reached the
 * listeners. silence.spec.ts runs it in a network namespace where this program is the whole internet: every address is this
 * machine, and the name server is ours.
 */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { findChromium } from '@/lib/platform/chromium/binary';
import { writeFontSettings } from '@/lib/platform/chromium/fonts';
import { isolationsFor } from '@/lib/platform/chromium/isolation';
import { launchPrintingBrowser, printDocument } from '@/lib/services/render/chromium/printing-pool';
import { hostile } from './hostile';

export interface Heard {
  /** What an ordinary browser sends for one document. This proves that the listeners work. */
  readonly ordinary: { readonly connections: number; readonly lookUps: readonly string[] };
  /** What our browser sent, by document. */
  readonly leaks: Readonly<Record<string, { connections: number; lookUps: string[] }>>;
  readonly printed: number;
}

let connections = 0;
let lookUps: string[] = [];

/** The name asked for in a DNS query (RFC 1035, 4.1.2). */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12, length = query[at]; length; at += 1 + length, length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
  }
  return labels.join('.');
}

async function listen(): Promise<number> {
  const tcp = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => tcp.listen(0, '0.0.0.0', resolve));
  const names = createSocket('udp4', (query, sender) => {
    lookUps.push(nameIn(query));
    // The same address for every name, so that the client then connects.
    const answer = Buffer.from(query);
    answer.writeUInt16BE(0x8180, 2);
    answer.writeUInt16BE(1, 6);
    const record = Buffer.from('c00c000100010000003c00047f000001', 'hex');
    const end = query.indexOf(0, 12) + 5;
    names.send(Buffer.concat([answer.subarray(0, end), record]), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => names.bind(53, '127.0.0.1', resolve));
  const address = tcp.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** What was received since the last call. */
function heard() {
  const since = { connections, lookUps };
  connections = 0;
  lookUps = [];
  return since;
}

async function askOrdinaryBrowser(chromium: string, html: string): Promise<Heard['ordinary']> {
  const browser = await puppeteer.launch({
    executablePath: chromium,
    headless: 'shell',
    args: ['--no-sandbox', '--no-zygote'],
    pipe: true,
  });
  const page = await browser.newPage();
  await page.setContent(html);
  const deadline = Date.now() + 10_000;
  while ((connections === 0 || lookUps.length === 0) && Date.now() < deadline) await sleep(50);
  await browser.close();
  return heard();
}

async function failAfter(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  throw new Error('out of time');
}

async function main(): Promise<Heard> {
  const port = await listen();
  const chromium = await findChromium(undefined);
  if (!chromium) throw new Error('there is no Chromium for this machine');
  const isolation = isolationsFor(chromium, { network: 'none', needsSandbox: false }).at(-1);
  if (!isolation?.hasNetwork) throw new Error('the weakest isolation should have the network');
  const filled = (html: string) =>
    html.replaceAll('{tcp}', `http://127.0.0.1:${port}`).replaceAll('{dns}', 'evil.test');
  const ordinary = await askOrdinaryBrowser(
    chromium,
    filled('<img src="{tcp}/a.png"><img src="http://{dns}/b.png">'),
  );
  const launch = {
    chromium,
    isPackaged: true,
    fontSettings: await writeFontSettings(),
    isolation,
    libraries: null,
  };
  let browser = await launchPrintingBrowser(launch);
  const leaks: Record<string, { connections: number; lookUps: string[] }> = {};
  let printed = 0;
  const left = Object.entries(hostile);
  while (left.length > 0) {
    if (!browser.isAlive) browser = await launchPrintingBrowser(launch);
    // One page for many documents: with a page for each, starting processes would take most of the time.
    await browser
      .withPage(180_000, async ({ session }) => {
        for (let next = left.shift(); next; next = left.shift()) {
          const [name, html] = next;
          try {
            await Promise.race([printDocument(session, filled(html)), failAfter(10_000)]);
            printed += 1;
          } finally {
            // This listener belongs to one document; it would refuse the next one.
            session.removeAllListeners('Fetch.requestPaused');
            const leak = heard();
            if (leak.connections > 0 || leak.lookUps.length > 0) leaks[name] = leak;
          }
        }
      })
      .catch(() => undefined);
  }
  // Speculative look-ups arrive late.
  await sleep(1_000);
  await browser.end();
  const late = heard();
  if (late.connections > 0 || late.lookUps.length > 0) leaks['some document, later'] = late;
  return { ordinary, leaks, printed };
}

main().then(
  (result) => {
    process.stdout.write(JSON.stringify(result));
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
