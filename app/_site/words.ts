/** `no` at the start of a sentence or alone in a cell: `No`. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z])/)[0] ?? text;
}
