/** What every browser of ours is started with: nothing of its own in the background, on any host. */
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
  // One document of one stranger per browser at a time: its context is its process already.
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

/** Features that ask the network for something unbidden, or keep processes that nobody needs. */
export const quietFeatures: readonly string[] = [
  'AsyncDns',
  'DnsOverHttps',
  'MediaRouter',
  'OptimizationHints',
  'SpareRendererForSitePerProcess',
  'Translate',
];
