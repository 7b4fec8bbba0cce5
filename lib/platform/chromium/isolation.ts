import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fontFolders } from './fonts';

/**
 * How a browser is isolated, in addition to its own settings: the command that starts Chromium, and its switches. The
 * first that works on this host is used (docs/decisions/browsers.md).
 */
export interface Isolation {
  /** Unique on its host. */
  readonly name: string;
  /** The program to start; null for Chromium itself. */
  readonly program: string | null;
  readonly before: readonly string[];
  readonly switches: readonly string[];
  /** The owner of the browser's folder. */
  readonly uid: number | null;
  readonly hasNetwork: boolean;
  /** Whether Chromium's own sandbox keeps code that has taken over a page away from everything that the user may read. */
  readonly hasSandbox: boolean;
}

/** nobody */
const unprivileged = 65_534;
/** Its own process namespace: when the first process dies, all die. */
const ownProcesses = ['--pid', '--fork', '--kill-child=SIGKILL'];

/** `none`: without any network if the host allows that. `host`: with the host's network. */
export type Network = 'none' | 'host';

/** What isolations must have. */
export interface IsolationNeeds {
  readonly network: Network;
  /** Whether a browser without Chromium's sandbox is worse than none. */
  readonly needsSandbox: boolean;
}

/** The possible isolations on this host, strongest first. */
export function isolationsFor(
  chromium: string,
  { network, needsSandbox }: IsolationNeeds,
): readonly Isolation[] {
  return everyIsolation(chromium, network).filter(({ hasSandbox }) => hasSandbox || !needsSandbox);
}

/** Namespaces do not replace the sandbox: without it, pages run as the server's user and share its view of /proc. */
function everyIsolation(chromium: string, network: Network): readonly Isolation[] {
  const hasNetwork = network === 'host';
  const around = hasNetwork ? 'own processes, ' : 'own network, ';
  const namespaces = [...(hasNetwork ? [] : ['--net']), ...ownProcesses];
  const unshare = findProgram('unshare');
  const setpriv = findProgram('setpriv');
  const isRoot = process.getuid?.() === 0;
  const isolations: Isolation[] = [];
  // Printing needs every font. Nobody sees pages that are only read.
  const files = [chromium, ...(hasNetwork ? [] : fontFolders())];
  if (isRoot && unshare && setpriv && isOpenToAll(files)) {
    const ids = [`--reuid=${unprivileged}`, `--regid=${unprivileged}`, '--clear-groups', '--no-new-privs'];
    isolations.push({
      name: `${around}unprivileged user, sandbox`,
      program: unshare,
      before: [...namespaces, '--', setpriv, ...ids, '--', chromium],
      switches: [],
      uid: unprivileged,
      hasNetwork,
      hasSandbox: true,
    });
  }
  if (!isRoot && unshare) {
    isolations.push({
      name: `${around}sandbox`,
      program: unshare,
      before: ['--map-current-user', ...namespaces, '--', chromium],
      switches: [],
      uid: null,
      hasNetwork,
      hasSandbox: true,
    });
  }
  if (unshare) {
    isolations.push({
      name: `${around}no sandbox`,
      program: unshare,
      before: [...(isRoot ? [] : ['--map-root-user']), ...namespaces, '--', chromium],
      switches: ['--no-sandbox', '--no-zygote'],
      uid: null,
      hasNetwork,
      hasSandbox: false,
    });
  }
  const plain = { program: null, before: [], uid: null, hasNetwork: true };
  if (!isRoot) isolations.push({ ...plain, name: 'sandbox', switches: [], hasSandbox: true });
  isolations.push({
    ...plain,
    name: 'bare',
    switches: ['--no-sandbox', '--no-zygote'],
    hasSandbox: false,
  });
  return isolations;
}

function findProgram(name: string): string | null {
  if (process.platform !== 'linux') return null;
  const folders = (process.env.PATH ?? '')
    .split(path.delimiter)
    .concat('/usr/bin', '/bin', '/usr/sbin', '/sbin');
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Whether every user can read these files. */
function isOpenToAll(files: readonly string[]): boolean {
  return files.every((file) => {
    if ((statSync(file).mode & 0o004) === 0) return false;
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      if ((statSync(folder).mode & 0o001) === 0) return false;
      if (folder === path.dirname(folder)) return true;
    }
  });
}
