/** A click anywhere in the row of a call opens the call, unless it is on a link or a button or ends a selection. */

document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
  if (!(target instanceof Element) || target.closest('a, button') || getSelection()?.toString()) return;
  const link = target.closest('.call-list tbody tr')?.querySelector('.call-id a');
  link?.dispatchEvent(new MouseEvent('click', { cancelable: true, ctrlKey, metaKey, shiftKey }));
});
