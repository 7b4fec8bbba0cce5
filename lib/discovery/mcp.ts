import { about } from '@/lib/catalog/about';
import { adapter, adapterSettings } from '@/lib/catalog/adapter';
import { adapterTools } from '@/lib/catalog/adapter-tools';
import { testFields, withNotice } from '@/lib/catalog/test-service';
import type { SiteConfig } from './site-config';

/** The schema of the MCP registry's `server.json` that the document below follows. */
const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** `com.example.api/tuppence`: server names start with the reversed host of their publisher. */
function nameOf({ publicUrl }: SiteConfig): string {
  const reversed = new URL(publicUrl).hostname.split('.').reverse().join('.');
  return `${reversed}/${about.name.toLowerCase()}`;
}

/** `/.well-known/mcp-server.json`: the MCP adapter in the format of the MCP registry. */
export function mcpServer(site: SiteConfig) {
  return {
    $schema: schema,
    name: nameOf(site),
    title: site.isTest ? `${adapter.title} (test)` : adapter.title,
    description: adapter.description,
    version: about.version,
    websiteUrl: `${site.publicUrl}/docs`,
    packages: [
      {
        registryType: 'npm',
        identifier: adapter.packageName,
        version: about.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: adapterSettings.map((setting) => ({
          ...setting,
          isSecret: false,
          ...(setting.name === 'MUNITION_API_URL' ? { default: site.publicUrl } : {}),
        })),
      },
    ],
  };
}

/** `/.well-known/mcp.json`: the configuration for MCP clients, and the tools they get. */
export function mcpClient(site: SiteConfig) {
  return {
    name: nameOf(site),
    version: about.version,
    description: adapter.description,
    ...testFields(site.isTest),
    instructions: withNotice(site.isTest, adapter.instructions),
    mcpServers: {
      [about.name.toLowerCase()]: {
        command: 'npx',
        args: ['-y', `${adapter.packageName}@${about.version}`],
        env: { MUNITION_API_URL: site.publicUrl },
      },
    },
    tools: adapterTools.map(({ name, title, description, price }) => ({
      name,
      title,
      description,
      price: { currency: 'USDC', amount: price ?? '0' },
    })),
    server: `${site.publicUrl}/.well-known/mcp-server.json`,
  };
}
