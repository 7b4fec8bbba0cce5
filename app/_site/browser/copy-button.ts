import { copyText } from '@/app/_page/copy-text';

/**
 * Makes a button copy a text, and say whether it did.
 * @returns the element that tells screen readers
 */
export function connect(button: HTMLButtonElement, read: () => Promise<string | null>): HTMLElement {
  const words = button.textContent;
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    const text = await read();
    const isCopied = text !== null && (await copyText(text));
    status.textContent = isCopied ? 'Copied.' : 'Copying failed.';
    button.textContent = isCopied ? 'Copied' : 'Select and copy';
    setTimeout(() => {
      button.textContent = words;
      status.textContent = '';
    }, 3_000);
  });
  return status;
}

/** @param name what is copied: screen readers list buttons without the samples beside them */
export function addCopyButton(block: HTMLElement, name: string, text: string): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy tertiary';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy: ${name}`);
  block.before(
    button,
    connect(button, async () => text),
  );
}
