import net from 'node:net';
import tls from 'node:tls';

/**
 * Connects to the host of a URL, over TLS for `https`, and closes the connection again. Nothing is sent.
 * @throws when there is no connection within the time, or its certificate is not valid
 */
export function connectTo(url: string, timeoutMs: number): Promise<void> {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  // The host of an IPv6 URL has brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = { host, port: Number(port) || (isSecure ? 443 : 80) };
  return new Promise((resolve, reject) => {
    const socket = isSecure
      ? tls.connect({ ...at, ...(net.isIP(host) ? {} : { servername: host }) })
      : net.connect(at);
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      resolve();
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => clearTimeout(late));
  });
}
