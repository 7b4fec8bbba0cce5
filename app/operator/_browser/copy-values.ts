import { copyText } from '@/app/_page/copy-text';

/** Buttons that copy an ID, an address or a hash. They are shown when this runs, and take their room before. */

const status = document.createElement('p');
status.className = 'hidden';
status.setAttribute('aria-live', 'polite');
document.body.append(status);

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-value]')) {
  button.addEventListener('click', async () => {
    const isCopied = await copyText(button.dataset.value ?? '');
    status.textContent = isCopied ? 'Copied.' : 'Copying failed. Select the text and copy it.';
    button.toggleAttribute('data-is-copied', isCopied);
    setTimeout(() => {
      status.textContent = '';
      button.removeAttribute('data-is-copied');
    }, 3_000);
  });
  button.dataset.isReady = '';
}
