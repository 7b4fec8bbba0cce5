/** Switches for all of our browsers: no background activity on any host. */
export const quietSwitches: readonly string[] = [
  '--headless',
  '--remote-debugging-pipe',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-quic',
  // Each browser has only one untrusted document at a time, so its process already isolates it.
  '--disable-site-isolation-trials',
  '--disable-software-rasterizer',
  '--disable-sync',
  '--font-render-hinting=none',
  '--hide-scrollbars',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
];

/** Features that send network requests of their own, or keep unneeded processes. */
export const quietFeatures: readonly string[] = [
  'AsyncDns',
  'DnsOverHttps',
  'MediaRouter',
  'OptimizationHints',
  'SpareRendererForSitePerProcess',
  'Translate',
];
