/** Keys of the console: `/` goes to the search field of the page. Everything works without them. */

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')) return;
  const search = document.querySelector<HTMLInputElement>('input[data-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
});
