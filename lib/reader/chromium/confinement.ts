import { quietFeatures, quietSwitches } from '@/lib/chromium/switches';

/** The proxy's name for the browser: the only name that it resolves by itself, and none that a page can reach by it. */
const proxyName = 'egress.invalid';

/** As an ordinary browser, so that pages are what people see, and with our name. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 (compatible; TuppenceReader)';

/**
 * The reading browser's way out is the egress proxy and nothing else: loopback is not exempt from it, no name but the proxy's
 * is resolved, and what would not go through a proxy (QUIC, WebRTC over UDP, look-ups ahead of time) is off.
 */
export function confinement(proxyPort: number): readonly string[] {
  const features = [
    ...quietFeatures,
    'LCPPPrefetchSubresource',
    'NetworkPrediction',
    'Prerender2',
    'PrefetchProxy',
    'WebOTP',
  ];
  return [
    ...quietSwitches,
    `--proxy-server=http://${proxyName}:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    `--host-resolver-rules=MAP ${proxyName} 127.0.0.1,MAP * ~NOTFOUND`,
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    // Text is read, not pictures: none is fetched, and no page notices by an error.
    '--blink-settings=imagesEnabled=false,dnsPrefetchingEnabled=false',
    '--block-new-web-contents',
    '--deny-permission-prompts',
    '--disable-3d-apis',
    '--disable-notifications',
    `--disable-features=${features.join(',')}`,
    '--lang=en-US',
    `--user-agent=${userAgent}`,
  ];
}
