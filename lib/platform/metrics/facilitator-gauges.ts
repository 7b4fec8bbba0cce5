import { Gauge, type Registry } from 'prom-client';

/** The gauges of facilitators. */
export const facilitatorGauges = (registry: Registry) => ({
  usable: new Gauge({
    name: 'tuppence_facilitator_usable',
    help: '0 while the facilitator of a network does not answer and its payments are refused.',
    labelNames: ['network'],
    aggregator: 'sum',
    registers: [registry],
  }),
});
