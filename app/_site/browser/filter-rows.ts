/** Narrows the tables of a page to the rows that have all words that are typed. Sections without such a row are hidden. */

const input = document.querySelector<HTMLInputElement>('[data-filters-rows]');

function filterRows(input: HTMLInputElement): void {
  const words = input.value
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  let [found, all] = [0, 0];
  for (const section of document.querySelectorAll<HTMLElement>('main section[aria-labelledby]')) {
    const rows = [...section.querySelectorAll<HTMLElement>('tbody tr')];
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    section.hidden = words.length > 0 && shown === 0;
    found += shown;
    all += rows.length;
  }
  const status = document.querySelector('.row-filter [role="status"]');
  if (status) status.textContent = words.length === 0 ? '' : `${found} of ${all} errors`;
}

if (input) {
  input.addEventListener('input', () => filterRows(input));
  // Browsers fill in again what was typed before a reload.
  if (input.value !== '') filterRows(input);
  // A link to a row or a section that is hidden shows everything again.
  addEventListener('hashchange', () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.closest('[hidden]')) return;
    input.value = '';
    filterRows(input);
    target.scrollIntoView();
  });
}
