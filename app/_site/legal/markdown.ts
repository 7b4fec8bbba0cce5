/** Settings as parts of a Markdown text. They are shown as they are, whatever characters they have. */

/** Text in which nothing is markup. */
export function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&~|#!]/g, '\\$&');
}

/** A link that opens a new message. */
export function mailLink(address: string): string {
  return `[${plain(address)}](${mailUrl(address)})`;
}

/** The address as a URL (RFC 6068). */
export function mailUrl(address: string): string {
  const at = address.lastIndexOf('@');
  return `mailto:${encodeURIComponent(address.slice(0, at))}@${address.slice(at + 1)}`;
}

/** A link to a page of the operator's own, named by its host. */
export function pageLink(href: string): string {
  const target = href.replaceAll('&', '&amp;').replaceAll('\\', '%5C');
  return `[${plain(new URL(href).host)}](<${target}>)`;
}
