const keyPattern = /^[a-z][a-z-]{0,31}\/[A-Za-z0-9_-]{1,80}$/;

/** Returns the key; throws when it is none of ours, so that no name can lead out of a folder or into another one. */
export function checkedKey(key: string): string {
  if (!keyPattern.test(key)) throw new Error('not an object key');
  return key;
}
