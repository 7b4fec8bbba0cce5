import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { NoAnswer } from './http';

/** Bytes for a connection, for what no HTTP client sends. */
interface Bytes {
  readonly url: URL;
  /** The whole request: its lines, and what there is of a body. */
  readonly text: string;
  /** Whether our half of the connection is closed after them. */
  readonly isEnded?: boolean;
  readonly timeoutMs: number;
}

/** What came back on the connection. */
export interface RawAnswer {
  /** Undefined if the connection was closed, or nothing came in time. */
  readonly status?: number;
  readonly text: string;
  /** Whether the other side closed the connection in time. */
  readonly isClosed: boolean;
}

const bytesMax = 2 ** 16;
const ALPNProtocols = ['http/1.1'];

/**
 * Sends bytes and reads until the other side closes the connection, or the time is over.
 * @throws NoAnswer if there is no connection
 */
export function sendBytes({ url, text, isEnded = false, timeoutMs }: Bytes): Promise<RawAnswer> {
  const isTls = url.protocol === 'https:';
  const port = Number(url.port) || (isTls ? 443 : 80);
  // A literal IPv6 address is in brackets in a URL only.
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    let received = '';
    let isConnected = false;
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1];
      resolve({ status: status === undefined ? undefined : Number(status), text: received, isClosed });
    };
    const onConnected = () => {
      isConnected = true;
      socket.write(text, 'latin1');
      if (isEnded) socket.end();
    };
    const socket = isTls
      ? connectTls({ host, port, servername: isIP(host) ? undefined : host, ALPNProtocols }, onConnected)
      : connectTcp({ host, port }, onConnected);
    const timer = setTimeout(() => {
      if (isConnected) finish(false);
      else socket.destroy(new Error('no connection in time'));
    }, timeoutMs);
    socket.on('data', (chunk) => {
      received = (received + chunk.toString('latin1')).slice(0, bytesMax);
    });
    socket.once('end', () => finish(true));
    // A reset is a way of closing.
    socket.once('error', ({ message }) => {
      if (isConnected) finish(true);
      else reject(new NoAnswer({ method: 'GET', url }, `The connection failed: ${message}.`));
    });
  });
}
