/**
 * The `curl` command that sends a file to its slot, for a POSIX shell. `$UPLOAD_URL` stands for the slot's `uploadUrl`.
 * @param fileName any text. Quoted, it is one word of the command, whatever it contains.
 */
export function curlOfPut(fileName: string, headers: Readonly<Record<string, string>>): string {
  // curl measures the file itself. A wrong length would leave it waiting.
  const sent = Object.entries(headers).filter(([name]) => name !== 'content-length');
  const options = sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -sS -X PUT --data-binary', quoted(`@${fileName}`), ...options, '"$UPLOAD_URL"'].join(' ');
}

/** In single quotes a shell changes nothing (POSIX, Shell Command Language, 2.2.2). */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
