import type { Settings } from '@/lib/platform/settings';
import { type Finding, failed, ok, warning } from './finding';
import { checkTokens } from './tokens';

/** Settings that are each valid but do not fit together, or do not suit a public service. */
export function checkSettings(settings: Settings): Finding[] {
  const found = [
    ...checkAddresses(settings),
    ...checkSecrets(settings),
    ...(isLocal(settings.PUBLIC_URL) ? [] : checkTokens(settings)),
    ...checkOperator(settings),
  ];
  return found.length === 0 ? [ok('settings', 'every setting is valid')] : found;
}

const isLocal = (url: string) => /^(localhost|127\.|\[::1\])/.test(new URL(url).host);

function checkAddresses({ PUBLIC_URL, FILES_URL, TRUSTED_PROXIES }: Settings): Finding[] {
  const found: Finding[] = [];
  for (const [name, url] of Object.entries({ PUBLIC_URL, FILES_URL })) {
    if (isLocal(url) || url.startsWith('https:')) continue;
    found.push(
      failed(name, `${url} is not encrypted, and payments are signed for it`, `Set ${name} to an https URL.`),
    );
  }
  if (PUBLIC_URL.startsWith('https:') && TRUSTED_PROXIES === 0) {
    found.push(
      warning(
        'TRUSTED_PROXIES',
        'the server speaks http, so a proxy serves PUBLIC_URL, and all its callers share the rate limits of one address',
        'Set TRUSTED_PROXIES to the number of proxies in front of the server.',
      ),
    );
  }
  return found;
}

function checkSecrets({ DATA_KEY, SETTLEMENT_KEYS_EVM = [], PUBLIC_URL }: Settings): Finding[] {
  const found: Finding[] = [];
  const isGuessable = (key: string) => new Set(Buffer.from(key, 'base64')).size < 8;
  if (!isLocal(PUBLIC_URL) && DATA_KEY.some(isGuessable)) {
    found.push(
      failed(
        'DATA_KEY',
        'a key is not random',
        'Make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"',
      ),
    );
  }
  if (new Set(SETTLEMENT_KEYS_EVM).size < SETTLEMENT_KEYS_EVM.length) {
    found.push(warning('SETTLEMENT_KEYS_EVM', 'a key is listed twice', 'List each key once.'));
  }
  return found;
}

/** People who pay want to know whom they pay, and some laws require it. */
function checkOperator({ PUBLIC_URL, OPERATOR_NAME, OPERATOR_EMAIL }: Settings): Finding[] {
  if (isLocal(PUBLIC_URL)) return [];
  const found: Finding[] = [];
  if (OPERATOR_NAME === undefined)
    found.push(
      warning(
        'OPERATOR_NAME',
        'the pages about terms and privacy say that nobody is named as the operator',
        'Set it to your name or that of your company (docs/legal-pages.md).',
      ),
    );
  if (OPERATOR_EMAIL === undefined)
    found.push(
      warning(
        'OPERATOR_EMAIL',
        'nobody can ask for a refund or report a vulnerability',
        'Set it to an address that somebody reads.',
      ),
    );
  return found;
}
