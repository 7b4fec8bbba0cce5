import { z } from 'zod';
import { noParams, operation } from './operation';

export const renderLimits = {
  htmlBytesMax: 1_048_576,
  pagesMax: 20,
  pdfBytesMax: 10_485_760,
  filenameLengthMax: 180,
} as const;

/** The body of a call. */
const pdfRequest = z.strictObject({
  html: z
    .string()
    .min(1)
    .refine((html) => new TextEncoder().encode(html).length <= renderLimits.htmlBytesMax, {
      message: `must have at most ${renderLimits.htmlBytesMax} bytes in UTF-8`,
    })
    .meta({
      maxLength: renderLimits.htmlBytesMax,
      description:
        'A self-contained HTML document: inline CSS and SVG, data: images and fonts. Scripts, frames, and external or relative resources are rejected.',
      examples: ['<!doctype html><title>Invoice</title><h1>Invoice 1</h1>'],
    }),
  filename: z
    .string()
    .min(1)
    .max(renderLimits.filenameLengthMax)
    .refine((name) => !name.includes('..'), { message: 'must not contain two consecutive dots' })
    .optional()
    .meta({
      description: 'Used as the end of the public link. No two consecutive dots.',
      examples: ['invoice-1.pdf'],
    }),
});

/** The PDF and its public link. */
const pdfResult = z.strictObject({
  id: z.string().describe('The upload ID, for deletion at /v1/uploads/{id}.'),
  publicUrl: z.url().describe('The public link; it works at once.'),
  expiresAt: z.iso
    .datetime()
    .describe('When the link expires and the file is deleted. It cannot be renewed.'),
  bytes: z.number().int().min(1).describe('Size of the PDF in bytes.'),
  pages: z.number().int().min(1).max(renderLimits.pagesMax).describe('Number of pages.'),
  sha256: z.string().describe('SHA-256 of the PDF, 64 lowercase hex characters.'),
  renderMs: z.number().int().min(0).describe('Rendering time in milliseconds.'),
});

export const pdf = operation({
  id: 'render.pdf',
  category: 'render',
  priceName: 'pdf',
  method: 'POST',
  paths: { x402: '/v1/render/pdf', account: '/v1/account/render/pdf' },
  hiddenMethods: ['GET', 'HEAD'],
  price: '0.02',
  title: 'Render a PDF',
  summary: `Render self-contained HTML as an A4 PDF of at most ${renderLimits.pagesMax} pages and 10 MiB, and get a public, unguessable link that lasts 7 days. Inline CSS and data: images only. A document that is rejected or fails costs nothing.`,
  params: noParams,
  body: pdfRequest,
  takesBody: true,
  neverEchoes: true,
  // JSON may write any byte of the document as a six-byte escape.
  bodyBytesMax: 6 * renderLimits.htmlBytesMax + 4096,
  codes: { settlementUnknown: 'render_settlement_unknown' },
  minimalBody: { html: '<!doctype html><title>Invoice</title><h1>Invoice 1</h1>' },
  output: pdfResult,
  givesLink: true,
  answerHeaders: ['Unsupported-Characters', 'Cut-Content'],
  failsUncharged: true,
  errors: [
    'invalid_input',
    'body_too_large',
    'output_too_large',
    'uncharged_work_limit',
    'renderer_unconfigured',
    'renderer_unavailable',
    'renderer_busy',
    'render_failed',
    'render_settlement_unknown',
  ],
  example: {
    params: {},
    body: {
      html: '<!doctype html><title>Invoice 1</title><style>@page { margin: 2cm }</style><h1>Invoice 1</h1>',
      filename: 'invoice-1.pdf',
    },
    output: {
      id: 'up_6cFh0Zt7mVb2XsYd81PfLcRw',
      publicUrl: 'https://files.example.net/8kT0vJx2QnB8sWm4KzRd7Lpa/invoice-1.pdf',
      expiresAt: '2026-12-08T00:00:00.000Z',
      bytes: 18_322,
      pages: 1,
      sha256: '9b74c9897bac770ffc029102a200c5de0a5c3f4f6d1c1b7e2f9a8d3e4c5b6a70',
      renderMs: 48,
    },
  },
});

export const paid = [pdf];
