import { Fragment, type ReactNode } from 'react';

const shownLabelLengthMax = 60;

/** A sentence with elements in the places of its slots, such as `{date}`. */
export function fillSlots(sentence: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  return sentence.split(/(\{\w+\})/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move.
    <Fragment key={index}>{/^\{\w+\}$/.test(part) ? (values[part.slice(1, -1)] ?? part) : part}</Fragment>
  ));
}

/**
 * The label of a question inside a sentence of ours. `bdi` keeps its direction from reordering the sentence (HTML, the bdi
 * element). A long one is cut, because the sentence points at a field that shows all of it.
 */
export function QuotedLabel({ label, lang }: { label: string; lang?: string }): ReactNode {
  const characters = [...label.replaceAll(/\s+/g, ' ').trim()];
  const isLong = characters.length > shownLabelLengthMax;
  const shown = isLong ? `${beginningOf(characters)}…` : characters.join('');
  return <bdi lang={lang}>{shown}</bdi>;
}

/** As many whole words as fit. Where words are not set apart by spaces, a text is cut anywhere. */
function beginningOf(characters: readonly string[]): string {
  const fitting = characters.slice(0, shownLabelLengthMax + 1).join('');
  const end = fitting.lastIndexOf(' ');
  return end > shownLabelLengthMax / 2
    ? fitting.slice(0, end)
    : characters.slice(0, shownLabelLengthMax).join('');
}
