import { addCopyButton, connect } from './copy-button';

/** Copy buttons: for every sample, for the URL of a call, and for the page as Markdown. */

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
