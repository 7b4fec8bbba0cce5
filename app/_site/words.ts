/** `no` at the start of a sentence or alone in a cell: `No`. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z])/)[0] ?? text;
}

/** Samples name the host of this service, as far as they are written for an example. */
export function onThisHost(text: string, publicUrl: string): string {
  return text.replaceAll('https://api.example.com', publicUrl);
}
