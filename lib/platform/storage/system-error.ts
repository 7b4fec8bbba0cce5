/** Whether an error of the operating system has one of these codes (`ENOENT`). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
