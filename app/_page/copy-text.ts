/** Puts a text on the clipboard. @returns whether it is there */
export async function copyText(text: string): Promise<boolean> {
  // Only secure contexts have a clipboard.
  if (!navigator.clipboard) return false;
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
