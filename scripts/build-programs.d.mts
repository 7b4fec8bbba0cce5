/** Bundles programs that run on Node into a folder, each under its name. */
export function buildPrograms(outdir: string, ...entryPoints: string[]): Promise<void>;
