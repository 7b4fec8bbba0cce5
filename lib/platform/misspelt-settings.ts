/** An environment variable that looks like a setting, and is none. */
export interface MisspeltSetting {
  readonly name: string;
  /** What it is taken for; null if only its beginning is that of settings. */
  readonly similar: string | null;
  /** A sentence without its subject, which is the name. */
  readonly message: string;
  /** Whether money depends on the setting that it is taken for, which is not set. */
  readonly isAboutMoney: boolean;
}

/** No other program has variables that begin like this. */
const ourPrefixes =
  /^(ARBITRUM|BASE|BATCH|DUFFEL|EXA|FACILITATOR|FINALITY|FIRECRAWL|MPP|PAY_TO|POLYGON|READER|REFUNDS_FROM|SEARXNG|SERPER|SETTLEMENT|SOLANA|USDC|X402)_/;

/** Settings that decide where money goes, or what counts as money. */
const aboutMoney = /^(NETWORKS$|PAY_TO_|SETTLEMENT_|BATCH_|USDC_|FINALITY_)/;

/** `BASE_URL` is what readers of our guides set for the samples. Kubernetes sets the others for a service of any name. */
const notMisspelt = /^BASE_URL$|_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/**
 * Environment variables whose names are close to those of settings, or begin like them. The server ignores them, so without a
 * word about it their operator would take them for set.
 * @param source the environment
 * @param settings the names of all settings
 */
export function misspeltSettings(
  source: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): MisspeltSetting[] {
  const known = new Set(settings);
  return Object.entries(source)
    .filter(([name, value]) => value && !known.has(name) && !notMisspelt.test(name))
    .flatMap(([name]) => {
      const similar = findSimilar(name, settings);
      if (similar === null && !ourPrefixes.test(name.toUpperCase())) return [];
      const isAboutMoney = similar !== null && !source[similar] && aboutMoney.test(similar);
      const message = similar === null ? 'is not a setting' : `is not a setting. Did you mean ${similar}?`;
      return [{ name, similar, message, isAboutMoney }];
    });
}

/** The setting that a name was probably meant to be. */
function findSimilar(name: string, settings: readonly string[]): string | null {
  const upper = name.toUpperCase();
  const words = wordsOf(upper);
  const beginsLike = (setting: string) => {
    const longer = wordsOf(setting);
    return words.length > 1 && words.every((word, index) => longer[index] === word);
  };
  const ranked = settings
    .map((setting) => ({ setting, distance: editDistance(upper, setting) }))
    .filter(({ setting, distance }) => distance <= (setting.length < 8 ? 1 : 2))
    .toSorted((a, b) => a.distance - b.distance);
  const sorted = words.toSorted().join();
  return (
    ranked[0]?.setting ??
    settings.find((setting) => wordsOf(setting).toSorted().join() === sorted) ??
    settings.find(beginsLike) ??
    // Some settings have their network in the value: FINALITY_BLOCKS=base=900 instead of BASE_FINALITY_BLOCKS=900.
    settings.find(
      (setting) => setting.includes('_') && upper.endsWith(`_${setting}`) && ourPrefixes.test(upper),
    ) ??
    null
  );
}

/** The words of a name in the singular. */
function wordsOf(name: string): string[] {
  return name.split('_').map((word) => word.replace(/IES$/, 'Y').replace(/(?<=..)S$/, ''));
}

/** How many characters to add, remove, replace or exchange with their neighbor to get from one text to the other. */
function editDistance(from: string, to: string): number {
  const rows = [[...Array(to.length + 1).keys()]];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const at = (back: number, column: number) => rows[i - back]?.[column] ?? Number.POSITIVE_INFINITY;
      const isSame = from[i - 1] === to[j - 1];
      const isExchange = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          at(1, j) + 1,
          (row[j - 1] ?? 0) + 1,
          at(1, j - 1) + (isSame ? 0 : 1),
          isExchange ? at(2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] ?? 0;
}
