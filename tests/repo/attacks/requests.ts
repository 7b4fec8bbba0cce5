import { type Attack, attack, shown } from './attack';

/** Requests, headers, challenges and documents. */
export const requests: readonly Attack[] = [
  attack('A19', 'work is done before payment', [
    shown(
      'recovery/flood',
      'fifty clients that send worthless payments without a pause do not keep an honest one from being served, send nothing and write nothing',
    ),
    shown('api/dry-run', 'while dry runs of … are judged, others are answered'),
    shown(
      'api/rate-limits',
      'an address that has used its limit up is refused with 429 and when to come again; others are served',
    ),
    shown('unit/throttle', 'unpaid answers do not wait for a request that never ends its body'),
    shown('unit/threads', 'one address that sends much does not make another wait for all of it'),
    shown(
      'api/research',
      'a provider is asked for nobody whose payment is refused, whose body is refused or who does not pay',
    ),
  ]),
  attack('A32', 'forged or altered MPP challenges', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
    shown('api/mpp', 'an unreadable credential (…) is refused with a problem document'),
  ]),
  attack('A33', 'the digest of the body in MPP', [
    shown('api/mpp', 'a body changed between challenge and payment is refused, uncharged'),
    shown(
      'api/mpp',
      'an unpaid call is asked for payment on every EVM network, base first, with its body bound',
    ),
  ]),
  attack('A34', 'MPP methods, intents and types confused', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
  ]),
  attack('A35', 'games with headers', [
    shown('api/hostile-headers', 'two payments in one request are refused, and neither is taken'),
    shown('api/hostile-headers', 'the same payment under both header names is one payment'),
    shown('api/hostile-headers', '… twice in one request is refused, even with equal values'),
    shown('api/hostile-headers', '… is read whatever its letter case'),
    shown('api/mpp', 'two credentials in one request are refused with 400'),
  ]),
  attack('A36', 'size and depth of headers', [
    shown('api/hostile-headers', 'a payment padded to … KB by the extensions it echoes works'),
    shown('api/hostile-headers', '… KB of payment header are refused as too large'),
    shown('api/hostile-headers', '… KB of headers are 431, in the words of every other error'),
    shown('api/hostile-headers', 'a payment header that is … is refused with a reason', [
      'three thousand nested lists',
      'three thousand nested objects',
    ]),
  ]),
  attack(
    'A37',
    'shared caches and other origins',
    [
      shown('api/challenge', '… … without payment says what it costs, the same in header and body (…)'),
      shown('api/challenge', 'a browser may send …'),
      shown(
        'recovery/repeated',
        'a stranger who copies a payment from the chain during its call learns nothing and disturbs nothing',
      ),
    ],
    'a caching proxy between client and service',
  ),
  attack('A38', 'the gate walked round by method or path', [
    shown('api/hostile-paths', 'POST … serves nothing unpaid'),
    shown('api/hostile-paths', 'a payment at … buys at most what it is for'),
    shown('api/hostile-paths', '… … is a method that the address does not take'),
    shown('api/hostile-paths', 'X-HTTP-Method-Override: … on a POST deletes and reads nothing'),
    shown(
      'api/flights',
      'HEAD of an offer is refused and charges nothing, over x402 and from an account, and GET charges once',
    ),
    shown('api/front-door', '… … is refused alike by the front door and by the route behind it'),
  ]),
  attack('A39', 'Host and X-Forwarded-Host', [
    shown('api/challenge', 'the address in a challenge is the configured one, whatever … says (…)'),
  ]),
  attack('A43', 'details in error messages', [
    shown('recovery/lying-nodes', 'what a node says and where it is are nothing that a caller is told'),
    shown('api/invalid-input', 'at most three faults are named, and none of what was sent comes back'),
  ]),
  attack('A44', 'guessing ids', [
    shown(
      'unit/ids',
      'the id of a paid call is drawn from more than 128 bits, and ten thousand of them differ everywhere',
    ),
    shown('api/buy-upload', 'nobody learns of a paid call without its id'),
    shown(
      'api/binding',
      'the status of a paid call shows exactly its money and its state, and never its content',
    ),
  ]),
  attack(
    'A45',
    'documents and challenges drift apart',
    [
      shown('repo/prices', 'a price is spelled in the catalog and nowhere else'),
      shown('api/challenge', '… … describes itself so that the official validators agree'),
    ],
    'the discovery documents are not served yet',
  ),
];
