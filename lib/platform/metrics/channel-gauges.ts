import { Gauge, type Registry } from 'prom-client';

/** The gauges of payment channels. */
export const channelGauges = (registry: Registry) => ({
  unclaimed: new Gauge({
    name: 'tuppence_channels_unclaimed_usdc',
    help: 'USDC spent through payment channels that is neither claimed nor written off.',
    labelNames: ['network'],
    registers: [registry],
  }),
  leaving: new Gauge({
    name: 'tuppence_channels_leaving',
    help: 'Payment channels that their payers are closing while spent funds are unclaimed.',
    labelNames: ['network'],
    registers: [registry],
  }),
});
