import { quietFeatures, quietSwitches } from '@/lib/platform/chromium/switches';

/** The proxy's host name, the only name that the browser resolves. Pages cannot reach anything through it. */
const proxyName = 'egress.invalid';

/** An ordinary browser's user agent, so that pages look as people see them, with our name added. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 (compatible; TuppenceReader)';

/**
 * Restricts the reading browser to the egress proxy: loopback is not exempt, only the proxy's name is resolved, and
 * everything that bypasses proxies (QUIC, WebRTC over UDP, prefetching) is off.
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
    // Images are not loaded, because only text is read. Pages do not see an error.
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
