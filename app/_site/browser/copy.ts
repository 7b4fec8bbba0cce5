/** Puts a button beside every sample that copies it. Without this script samples are selected by hand. */

for (const block of document.querySelectorAll<HTMLElement>('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
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
    status.textContent = isCopied ? 'Copied.' : 'Could not be copied.';
    button.textContent = isCopied ? 'Copied' : 'Select and copy';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, 3_000);
  });
  block.before(button, status);
}
