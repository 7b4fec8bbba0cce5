import { copyText } from '@/app/_page/copy-text';

/** Copy buttons: for every sample, for the URL of a call, and for the page as Markdown. */

function connect(button: HTMLButtonElement, read: () => Promise<string | null>): HTMLElement {
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

for (const block of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const { text = block.textContent, label } = block.dataset;
  addCopyButton(block, label ?? block.parentElement?.getAttribute('aria-label') ?? 'sample', text);
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copies]')) {
  const address = button.dataset.copies ?? '';
  const status = connect(button, () =>
    fetch(address).then(
      (answer) => (answer.ok ? answer.text() : null),
      () => null,
    ),
  );
  button.after(status);
  button.dataset.isReady = '';
}
