import type { ids } from '../_page/deposit-state';

/** The parts of the page that the script finds by their ID. */
export function element<Kind extends HTMLElement = HTMLElement>(
  id: (typeof ids)[keyof typeof ids],
): Kind | null {
  return document.getElementById(id) as Kind | null;
}

export function setText(id: (typeof ids)[keyof typeof ids], text: string): void {
  const place = element(id);
  if (place && place.textContent !== text) place.textContent = text;
}

export function setHidden(id: (typeof ids)[keyof typeof ids], isHidden: boolean): void {
  element(id)?.toggleAttribute('hidden', isHidden);
}

/** Shows a message at its field, or none, and marks the field as wrong. */
export function setError(id: (typeof ids)[keyof typeof ids], message: string | null): void {
  setText(id, message ?? '');
  setHidden(id, message === null);
  element(id)
    ?.closest('.field')
    ?.classList.toggle('wrong', message !== null);
}
