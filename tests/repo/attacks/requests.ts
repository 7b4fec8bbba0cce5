import { type Attack, attack, shown } from './attack';

/** Requests, headers, challenges and documents. */
export const requests: readonly Attack[] = [
  attack('A19', 'work is done before payment', [
    shown(
      'recovery/flood',
      'fifty clients that flood with worthless payments do not block an honest one, and nothing is broadcast or stored for them',
    ),
    shown('api/dry-run', 'other requests are served while dry runs of … are checked'),
    shown('api/rate-limits', 'an address over its limit gets 429 with Retry-After; others are served'),
    shown('unit/signed-work', 'a request counts as paying once its payer is known, and until its response'),
    shown('unit/threads', 'an address with many requests does not delay another behind all of them'),
    shown(
      'api/research',
      'the provider is not called for a refused payment, a refused body or an unpaid request',
    ),
  ]),
  attack('A32', 'forged or altered MPP challenges', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
    shown('api/mpp', 'an unreadable credential (…) is refused with a problem document'),
  ]),
  attack('A33', 'the digest of the body in MPP', [
    shown('api/mpp', 'a body changed between challenge and payment is refused, uncharged'),
    shown('api/mpp', 'an unpaid call gets a challenge for every EVM network, base first, bound to its body'),
  ]),
  attack('A34', 'MPP methods, intents and types confused', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
  ]),
  attack('A35', 'duplicate and conflicting headers', [
    shown('api/hostile-headers', 'two payments in one request are refused, and neither is used'),
    shown('api/hostile-headers', 'the same payment under both header names counts once'),
    shown('api/hostile-headers', '… twice in one request is refused, even with equal values'),
    shown('api/hostile-headers', '… is read in any letter case'),
    shown('api/mpp', 'two credentials in one request are refused with 400'),
  ]),
  attack('A36', 'size and depth of headers', [
    shown('api/hostile-headers', 'a payment padded to … KB by the extensions it echoes works'),
    shown('api/hostile-headers', '… KB of payment header are refused as too large'),
    shown('api/hostile-headers', '… KB of headers get 431 with the error body'),
    shown('api/hostile-headers', 'a payment header that is … is refused with a reason', [
      'three thousand nested lists',
      'three thousand nested objects',
    ]),
  ]),
  attack('A37', 'shared caches and other origins', [
    shown(
      'api/shared-cache',
      'a shared cache gives nobody what another one paid for, and everybody a challenge of their own',
    ),
    shown(
      'api/shared-cache',
      'a shared cache stores no answer that is for one client: accounts, statuses of calls, responses to forms',
    ),
    shown('api/challenge', '… … without payment gets the same challenge in header and body (…)'),
    shown('api/challenge', 'CORS allows the header …'),
    shown(
      'recovery/repeated',
      'a stranger who copies a payment from the chain during its call gets nothing and disturbs nothing',
    ),
  ]),
  attack('A38', 'payment bypassed by method or path', [
    shown('api/hostile-paths', 'POST … serves nothing unpaid'),
    shown('api/hostile-paths', 'a payment at … buys at most the operation it was signed for'),
    shown('api/hostile-paths', '… … is not allowed'),
    shown('api/hostile-paths', 'X-HTTP-Method-Override: … on a POST deletes and reads nothing'),
    shown(
      'api/flights',
      'HEAD of an offer is refused and charges nothing, over x402 and from an account, and GET charges once',
    ),
    shown('api/front-door', '… … gets the same refusal from the front door and from the route behind it'),
  ]),
  attack('A39', 'Host and X-Forwarded-Host', [
    shown('api/challenge', 'the URL in a challenge is the configured one, regardless of … (…)'),
  ]),
  attack('A43', 'details in error messages', [
    shown('recovery/lying-nodes', 'callers never see the messages or addresses of nodes'),
    shown('api/invalid-input', 'an error names at most three faults and never repeats the input'),
  ]),
  attack('A44', 'guessing ids', [
    shown(
      'unit/ids',
      'the ID of a paid call has more than 128 random bits after the second in which it was made',
    ),
    shown('api/buy-upload', 'the status of a paid call needs its ID'),
    shown('api/binding', 'the status of a paid call shows its payment and state, never its content'),
  ]),
  attack('A45', 'documents and challenges drift apart', [
    shown('repo/prices', 'prices are written only in the catalog'),
    shown('api/challenge', '… … has a description that the official validators accept'),
    shown('api/documents', 'the price list, the documents and the challenges state the same prices'),
  ]),
  attack('A46', 'a program of a smart wallet that pays in the simulation only', [
    shown(
      'simulation/solana-settler',
      'a smart wallet that changes between its verification and its block is refused, whatever its transaction says',
    ),
    shown(
      'recovery/solana-smart-wallets',
      'a smart wallet that did nothing gets nothing while one of two nodes says that it paid',
    ),
    shown(
      'recovery/solana-smart-wallets',
      'over its hourly budget a smart wallet gets Retry-After before anything is sent, and others still pay',
    ),
  ]),
];
