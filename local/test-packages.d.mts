/** The imports that the bundle serves. */
export const testPackages: readonly string[];

/** The TypeScript configuration by which the test runner finds the bundle of packages; undefined while there is none. */
export function testPackagesConfig(): string | undefined;
