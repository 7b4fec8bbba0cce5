import { operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import {
  adapter,
  adapterFileNames,
  adapterFiles,
  adapterSettings,
  npxArguments,
} from '@/lib/catalog/adapter';
import { basicTools } from '@/lib/catalog/adapter-tools';
import { remote, revisions } from '@/lib/catalog/remote';
import { testFields, withNotice } from '@/lib/catalog/test-service';
import { isPaid, remoteTools } from './remote-tools';
import type { SiteConfig } from './site-config';

/** The schema of the MCP registry's `server.json` that the document below follows. */
const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** `com.example.api/tuppence`: server names start with the reversed host of their publisher. */
function nameOf({ publicUrl }: SiteConfig): string {
  const reversed = new URL(publicUrl).hostname.split('.').reverse().join('.');
  return `${reversed}/${about.name.toLowerCase()}`;
}

/** How clients reach the remote server: one POST per message. */
const transport = 'streamable-http';

const remoteUrl = ({ publicUrl }: SiteConfig) => `${publicUrl}${remote.path}`;

/** The tools that the adapter has by default and that work here, with their prices. */
function listAdapterTools(site: SiteConfig) {
  const missing = operations.filter((operation) => !site.isAvailable(operation)).map(({ id }) => id);
  return basicTools
    .filter(({ operation }) => operation === null || !missing.includes(operation))
    .map(({ name, title, description, price }) => ({
      name,
      title,
      description,
      price: { currency: 'USDC', amount: price ?? '0' },
    }));
}

/** The tools of the remote server that are available here, with their prices. */
function listRemoteTools(site: SiteConfig) {
  return remoteTools()
    .filter(({ operation }) => !isPaid(operation) || site.isAvailable(operation))
    .map(({ name, title, description, operation }) => ({
      name,
      title,
      description,
      price: { currency: 'USDC', amount: isPaid(operation) ? operation.price : '0' },
    }));
}

/** Where SEP-2127 puts the card of a remote server, and its media type. */
export const serverCardPath = `${remote.path}/server-card`;
export const serverCardType = 'application/mcp-server-card+json';

/** The card of the remote server (SEP-2127). */
export function mcpServerCard(site: SiteConfig) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: nameOf(site),
    title: site.isTest ? `${remote.title} (test)` : remote.title,
    description: remote.description,
    version: about.version,
    websiteUrl: `${site.publicUrl}/docs/mcp`,
    remotes: [{ type: transport, url: remoteUrl(site), supportedProtocolVersions: [...revisions] }],
  };
}

/** `/.well-known/mcp/server-card.json`: the card with the fields that scanners read there, from before SEP-2127. */
export function earlierServerCard(site: SiteConfig) {
  return {
    ...mcpServerCard(site),
    ...testFields(site.isTest),
    serverInfo: { name: about.name.toLowerCase(), title: about.name, version: about.version },
    transport: { type: transport, endpoint: remote.path },
    capabilities: { tools: {} },
    instructions: withNotice(site.isTest, remote.instructions),
  };
}

/**
 * `/.well-known/mcp-server.json`: the MCP adapter and the remote server in the format of the MCP registry. The package
 * has an address instead of a name and a version: we publish to no registry, and anyone could register the name there.
 */
export function mcpServer(site: SiteConfig) {
  return {
    $schema: schema,
    name: nameOf(site),
    title: site.isTest ? `${adapter.title} (test)` : adapter.title,
    description: adapter.description,
    version: about.version,
    websiteUrl: `${site.publicUrl}/docs`,
    remotes: [{ type: transport, url: remoteUrl(site) }],
    packages: [
      {
        registryType: 'npm',
        identifier: site.publicUrl + adapterFiles.package.path,
        fileSha256: site.adapterDigests.package,
        runtimeHint: 'npx',
        // The last one is the identifier, which clients add.
        runtimeArguments: npxArguments(site.publicUrl)
          .slice(0, -1)
          .map((value) => ({ type: 'positional', value })),
        transport: { type: 'stdio' },
        environmentVariables: adapterSettings.map((setting) => ({
          ...setting,
          isSecret: false,
          ...(setting.name === 'TUPPENCE_API_URL' ? { default: site.publicUrl } : {}),
        })),
      },
    ],
  };
}

/** `/.well-known/mcp.json`: the configuration for MCP clients, and the tools of the adapter and of the remote server. */
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
        args: npxArguments(site.publicUrl),
        env: { TUPPENCE_API_URL: site.publicUrl },
      },
    },
    files: adapterFileNames.map((name) => ({
      title: adapterFiles[name].title,
      url: site.publicUrl + adapterFiles[name].path,
      sha256: site.adapterDigests[name],
    })),
    tools: listAdapterTools(site),
    remote: {
      type: transport,
      url: remoteUrl(site),
      instructions: withNotice(site.isTest, remote.instructions),
      tools: listRemoteTools(site),
    },
    server: `${site.publicUrl}/.well-known/mcp-server.json`,
  };
}
