// Writes app/_routes/table.generated.ts: the route files of the API by their path, for the listener (lib/http/server), which calls
// their handlers itself.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folders = ['app/.well-known', 'app/health', 'app/internal', 'app/mcp', 'app/metrics', 'app/v1'];
const output = 'app/_routes/table.generated.ts';

export function writeRouteTable() {
  const files = listRouteFiles();
  const imports = files.map(({ file }, at) => `import * as route${at} from '@/${file}';`);
  const entries = files.map(({ path }, at) => `  '${path}': route${at},`);
  writeFileSync(
    output,
    `// Written by scripts/route-table.mjs from the route files.\n${imports.join('\n')}\nimport type { RouteTable } from '@/lib/http/server/routes';\n\nexport const routes: RouteTable = {\n${entries.join('\n')}\n};\n`,
  );
}

/** What catches everything else is left to the framework. */
function listRouteFiles() {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true }).map((name) =>
        path.posix.join(folder, name.replaceAll(path.sep, '/')),
      ),
    )
    .filter((file) => file.endsWith('/route.ts') && !file.includes('[...'))
    .sort()
    .map((file) => ({ file: file.replace(/\.ts$/, ''), path: path.posix.dirname(file).replace(/^app/, '') }));
}
