/** Copy buttons: for every sample, and for the page as Markdown. */

/** Says nothing aloud by itself: the button that was pressed says it. */
async function copy(text: string): Promise<boolean> {
  // Only secure contexts have a clipboard.
  if (!navigator.clipboard) return false;
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function connect(button: HTMLButtonElement, read: () => Promise<string | null>): HTMLElement {
  const words = button.textContent;
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    const text = await read();
    const isCopied = text !== null && (await copy(text));
    status.textContent = isCopied ? 'Copied.' : 'Copying failed.';
    button.textContent = isCopied ? 'Copied' : 'Select and copy';
    setTimeout(() => {
      button.textContent = words;
      status.textContent = '';
    }, 3_000);
  });
  return status;
}

for (const block of document.querySelectorAll<HTMLElement>('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy tertiary';
  button.textContent = 'Copy';
  // Screen readers list buttons without the samples beside them.
  button.setAttribute('aria-label', `Copy: ${block.parentElement?.getAttribute('aria-label') ?? 'sample'}`);
  const status = connect(button, async () => block.textContent);
  block.before(button, status);
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
