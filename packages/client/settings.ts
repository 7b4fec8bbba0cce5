import { homedir } from 'node:os';
import path from 'node:path';
import { adapterSettings, toolChoices } from '@/lib/catalog/adapter';
import { atomicOf } from './calls/usdc';

/**
 * `default-service=` and the default origin of the API, padded with spaces: `PUBLIC_URL` of the build, or the demo's. The
 * build sets it, and a service with another origin replaces it in the files that it gives out (app/_site/adapter-files.ts).
 */
declare const defaultService: string;

export interface Settings {
  readonly apiUrl: string;
  /** The adapter's folder in the user's config folder. */
  readonly configFolder: string;
  /** Atomic USDC per day. */
  readonly spendingCap: bigint;
  /** The folders that files may come from; null if any folder is allowed. */
  readonly uploadFolders: readonly string[] | null;
  /** Which tools the MCP server has. */
  readonly tools: (typeof toolChoices)[number];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the environment. Empty variables count as not set, because assistants pass them on.
 * @throws Error that names the variable and its rule
 */
export function readSettings(env: Environment, platform: NodeJS.Platform): Settings {
  const values = Object.fromEntries(
    adapterSettings.map((setting) => [
      setting.name,
      env[setting.name]?.trim() || ('default' in setting ? setting.default : undefined),
    ]),
  );
  return {
    apiUrl: findApiUrl(values),
    configFolder: path.join(findConfigFolder(env, platform), 'tuppence', 'mcp'),
    spendingCap: readSpendingCap(values.TUPPENCE_SPENDING_CAP ?? ''),
    uploadFolders: readFolders(values.TUPPENCE_UPLOAD_FOLDERS),
    tools: readTools(values.TUPPENCE_TOOLS),
  };
}

function readTools(value: string | undefined): Settings['tools'] {
  const choice = toolChoices.find((one) => one === value);
  if (choice === undefined) throw new Error(`TUPPENCE_TOOLS must be one of: ${toolChoices.join(', ')}.`);
  return choice;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL is safe for tokens and files: https, or this machine. */
export function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.has(url.hostname));
}

const apiUrlNames = ['TUPPENCE_API_URL', 'MUNITION_API_URL'] as const;

function findApiUrl(values: Environment): string {
  const [url = readApiUrl('The default service', defaultService.split('=')[1] ?? ''), other = url] =
    apiUrlNames.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [readApiUrl(name, value)];
    });
  // A guess could send a token or money to the wrong service.
  if (url !== other) throw new Error(`${apiUrlNames.join(' and ')} name different services. Set only one.`);
  return url;
}

function readApiUrl(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !isConfidential(url)) {
    throw new Error(`${name} must be an https URL. http is allowed only for localhost.`);
  }
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
    throw new Error(`${name} must be only an origin, such as https://api.example.com.`);
  }
  return url.origin;
}

function readSpendingCap(value: string): bigint {
  const cap = atomicOf(value);
  if (cap === undefined) {
    throw new Error('TUPPENCE_SPENDING_CAP must be an amount in USDC, such as 5 or 0.25.');
  }
  return cap;
}

function readFolders(value: string | undefined): string[] | null {
  if (value === undefined) return null;
  const folders = value.split(path.delimiter).filter((folder) => folder !== '');
  if (!folders.every((folder) => path.isAbsolute(folder))) {
    throw new Error('TUPPENCE_UPLOAD_FOLDERS must be absolute paths.');
  }
  return folders;
}

function findConfigFolder(env: Environment, platform: NodeJS.Platform): string {
  // The XDG Base Directory Specification says to ignore a relative path in XDG_CONFIG_HOME.
  const named = env.XDG_CONFIG_HOME;
  if (named && path.isAbsolute(named)) return named;
  if (platform === 'win32') return env.APPDATA ?? path.join(homedir(), 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support');
  return path.join(homedir(), '.config');
}
