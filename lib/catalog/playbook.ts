/** Jobs that take more than one call, and how they go. Documents leave out a job when one of its calls is not sold. */
export interface Job {
  readonly job: string;
  /** The operations that it takes, by id, in their order. */
  readonly uses: readonly string[];
  readonly steps: string;
}

export const playbook: readonly Job[] = [
  {
    job: 'Give somebody a file',
    uses: ['uploads.create'],
    steps:
      'Reserve a slot with the size and SHA-256 of the bytes, PUT the exact bytes to uploadUrl with uploadHeaders, then pass on publicUrl.',
  },
  {
    job: 'Keep a file longer, or take it back',
    uses: ['uploads.renew', 'uploads.delete'],
    steps: 'Pay with the wallet that paid for the upload; no other is let in.',
  },
  {
    job: 'Hand over a report or an invoice as PDF',
    uses: ['render.pdf'],
    steps: 'Send one self-contained HTML document, with inline CSS and data: images; pass on publicUrl.',
  },
  {
    job: 'Ask people something',
    uses: ['forms.create', 'forms.responses'],
    steps:
      'Open a form with an Idempotency-Key, send people its url, read their answers at responsesUrl with the readToken; with ?wait=60 the next answer comes when it is given.',
  },
  {
    job: 'Find out whether a call would succeed and what it costs',
    uses: ['tools.check'],
    steps: 'Send the operation and its body; nothing is charged or kept.',
  },
  {
    job: 'Find out what became of a payment',
    uses: ['paid-calls.get'],
    steps:
      'Send the identical request again first, it is never charged twice; or ask with the Paid-Call-Id of an answer.',
  },
];
