/**
 * Builds the package of the paywall into `packages/paywall/dist` and `dist/paywall` below a folder, which is that of the project by
 * default. @returns its file
 */
export function buildPaywall(root?: string): Promise<string>;
