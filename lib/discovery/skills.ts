import { createHash } from 'node:crypto';
import { z } from 'zod';
import { freeOperations, operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import { adapterFiles } from '@/lib/catalog/adapter';
import { client, clientCommands } from '@/lib/catalog/client';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { type Skill, skills } from '@/lib/catalog/skills';
import { withNotice } from '@/lib/catalog/test-service';
import { offersOf } from './openapi/payment-info';
import { curl, payment } from './samples';
import type { SiteConfig } from './site-config';

/**
 * Skill files for agents with a shell (agentskills.io), and their index at /.well-known/agent-skills (discovery 0.2.0). Everything
 * about the calls in them comes from the catalog.
 */

const folder = '/.well-known/agent-skills';
export const skillIndexPath = `${folder}/index.json`;
export const skillPathOf = ({ name }: Skill) => `${folder}/${name}/SKILL.md`;

type AnyOperation = Operation | FreeOperation;

/** The operations of a skill that are available here, in its order. */
function availableIn({ uses }: Skill, { isAvailable }: SiteConfig): AnyOperation[] {
  return uses.flatMap((id) => [
    ...operations.filter((one) => one.id === id && isAvailable(one)),
    ...freeOperations.filter((one) => one.id === id),
  ]);
}

/**
 * The index of the skills whose most important call is available here. Its entries also have the `files` of version
 * 0.1, because some readers reject the whole index without them.
 */
export function skillIndex(site: SiteConfig) {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: skills
      .filter((skill) => availableIn(skill, site)[0]?.id === skill.uses[0])
      .map((skill) => ({
        name: skill.name,
        type: 'skill-md',
        description: skill.description,
        url: site.publicUrl + skillPathOf(skill),
        digest: `sha256:${createHash('sha256').update(skillText(skill, site)).digest('hex')}`,
        version: about.version,
        files: ['SKILL.md'],
      })),
  };
}

/** A skill file. */
export function skillText(skill: Skill, site: SiteConfig): string {
  const { name, title, description, rules } = skill;
  return `---
name: ${name}
description: ${JSON.stringify(withNotice(site.isTest, description))}
license: MIT
metadata:
  version: ${JSON.stringify(about.version)}
---

# ${title}

Base address: ${site.publicUrl}

Paid calls have fixed prices in USDC and are paid one by one, from a wallet on
${networksOf(site)}. There is no API key. Set up once, with Node 20.19 or later:

\`\`\`sh
npm install @x402/fetch @x402/evm viem
curl -sSO ${site.publicUrl}/docs/pay.mjs
export BASE_URL=${site.publicUrl}
\`\`\`

\`PRIVATE_KEY\` holds the key of a wallet with USDC on Base. Without a payment, a call returns 402 with its price and costs nothing.
${withClient(skill, site)}

${availableIn(skill, site)
  .map((one) => callText(one, site))
  .join('\n\n')}

## Rules
${rules.map((rule) => `- ${rule}`).join('\n')}

## Paying
${paying(site)}
`;
}

/** The command of our client that does the same. The client is one file and needs no packages. */
function withClient({ uses }: Skill, { publicUrl }: SiteConfig): string {
  const command = clientCommands.find(({ calls }) => calls.some(({ operation }) => operation.id === uses[0]));
  if (!command) return '';
  const { path } = adapterFiles.client;
  const call = command.example.replace(client.name, `node ${path.slice(path.lastIndexOf('/') + 1)}`);
  return `
Or without packages: \`curl -sSO ${publicUrl}${path}\`, set \`TUPPENCE_API_URL=${publicUrl}\` and \`TUPPENCE_WALLET_KEY\`,
then \`${call}\`. ${publicUrl}/docs/client.md has all commands. If one is interrupted, run it again: it is charged once.
`;
}

function networksOf(site: SiteConfig): string {
  return offersOf('x402', site)
    .map(({ network }) => network.name)
    .join(', ');
}

function callText(operation: AnyOperation, site: SiteConfig): string {
  const price = 'price' in operation ? `${operation.price} USDC` : 'free';
  const path = 'paths' in operation ? operation.paths.x402 : operation.path;
  const fields = fieldsOf(operation);
  return `## ${operation.method} ${path}
${operation.summary} Price: ${price}.
${fields.length === 0 ? '' : `\n${fields.join('\n')}\n`}
\`\`\`sh
${'price' in operation ? payment(operation, path) : curl(operation, path, site)}
\`\`\``;
}

const described = z.object({
  properties: z
    .record(z.string(), z.looseObject({ type: z.string().optional(), description: z.string().optional() }))
    .default({}),
  required: z.array(z.string()).default([]),
});

/** The fields of the body and the query, one line each. */
function fieldsOf(operation: AnyOperation): string[] {
  const schemas = [
    'body' in operation ? operation.body : undefined,
    'query' in operation ? operation.query : undefined,
  ];
  return schemas.flatMap((schema) => {
    if (!schema) return [];
    const { properties, required } = described.parse(z.toJSONSchema(schema, { io: 'input' }));
    return Object.entries(properties).map(([name, { type, description }]) => {
      const kind = [type, required.includes(name) ? 'required' : 'optional'].filter(Boolean).join(', ');
      return `- \`${name}\` (${kind})${description ? `: ${description}` : ''}`;
    });
  });
}

function paying({ publicUrl }: SiteConfig): string {
  return [
    '- One key for each thing you buy, the same key on every retry. The program derives the `Idempotency-Key` from the command and the wallet: if a response is lost, run the same command again; it is never charged twice.',
    '- The same command again returns the stored response, for 38 days. To buy the same thing once more, set `KEY` to a new value for that command.',
    '- Every error says what happened to the money (`payment`) and what to do next (`retry`). Do as it says.',
    '- `LIMIT` is the most that one call may cost in dollars, 1 unless set. Ask the person before you spend more than they have allowed.',
    `- Other wallets, networks and languages: ${publicUrl}/docs/paying-with-x402.md`,
  ].join('\n');
}
