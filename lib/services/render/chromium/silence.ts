import { quietFeatures, quietSwitches } from '@/lib/chromium/switches';

/**
 * The printing browser's own silence, on every host: no script, nothing in the background, and names and proxies that lead
 * nowhere, loopback included. Holds without a network namespace too.
 */
export const silence: readonly string[] = [
  ...quietSwitches,
  '--blink-settings=scriptEnabled=false,dnsPrefetchingEnabled=false',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://proxy.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  `--disable-features=${quietFeatures.join(',')}`,
];
