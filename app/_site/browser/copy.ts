/** Adds a copy button to every sample. */

for (const block of document.querySelectorAll<HTMLElement>('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy secondary';
  button.textContent = 'Copy';
  const status = document.createElement('span');
  status.className = 'hidden';
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    const text = block.textContent ?? '';
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    status.textContent = isCopied ? 'Copied.' : 'Copying failed.';
    button.textContent = isCopied ? 'Copied' : 'Select and copy';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, 3_000);
  });
  block.before(button, status);
}
