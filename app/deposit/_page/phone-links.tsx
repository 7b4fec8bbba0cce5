import type { ReactNode } from 'react';
import { encode } from 'uqr';
import { ids } from './deposit-state';

/** Opens this page in the browser of a wallet app: with a code to scan on a computer, and with links on a phone. */
export function PhoneLinks({
  url,
  id,
  isHidden,
}: {
  url: string;
  id: string;
  isHidden?: boolean;
}): ReactNode {
  return (
    <section className="phone" id={id} aria-labelledby={`${id}-title`} hidden={isHidden}>
      <div className="on-computer">
        <QrCode text={url} label="QR code with the address of this page" />
      </div>
      <div>
        <h2 id={`${id}-title`}>Pay from a phone</h2>
        <p className="on-computer">Scan the code and open this page in your wallet’s own browser.</p>
        <p className="on-phone">Open this page in your wallet’s own browser.</p>
        <AppLinks url={url} />
        <p className="address" translate="no">
          {url}
        </p>
        {isHidden ? (
          <button type="button" id={ids.copy} className="secondary" value={url}>
            Copy link to this page
          </button>
        ) : null}
        <p>Do not send USDC to an address by hand: a plain transfer does not say which account it is for.</p>
      </div>
    </section>
  );
}

/** Wallet apps only open pages that are reachable from anywhere. */
function AppLinks({ url }: { url: string }): ReactNode {
  const { protocol, origin } = new URL(url);
  if (protocol !== 'https:') return null;
  const apps = [
    // MetaMask takes the address without a scheme and not encoded.
    ['MetaMask', `https://link.metamask.io/dapp/${url.slice('https://'.length)}`],
    ['Coinbase Wallet', `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(url)}`],
    ['Phantom', `https://phantom.app/ul/browse/${encodeURIComponent(url)}?ref=${encodeURIComponent(origin)}`],
  ] as const;
  return (
    <ul className="apps on-phone">
      {apps.map(([name, link]) => (
        <li key={name}>
          <a className="button secondary" href={link} rel="noreferrer">
            Open in {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A QR code, drawn as one path. It is always black on white, because scanners need that. */
function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { data, size } = encode(text, { border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
