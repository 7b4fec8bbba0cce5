import { connect } from 'node:net';

/** Sends a raw request to a proxy. @returns the status of the response; null if there is none */
function send(port: number, lines: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      resolve(status === undefined ? null : Number(status));
    });
    // As UTF-8: a proxy must tolerate input that no browser sends.
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

export interface Credential {
  readonly username: string;
  readonly password: string;
}

const permit = ({ username, password }: Credential) =>
  `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export function tunnel(port: number, authority: string, credential?: Credential): Promise<number | null> {
  return send(port, [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(credential ? [permit(credential)] : []),
  ]);
}

export function get(port: number, address: string, credential?: Credential): Promise<number | null> {
  return send(port, [
    `GET ${address} HTTP/1.1`,
    'Host: somewhere.test',
    ...(credential ? [permit(credential)] : []),
  ]);
}
