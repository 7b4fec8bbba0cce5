// Generates the database client from prisma/schema.prisma. The generator and the reader of the schema are what `prisma generate`
// runs; the command line would bring 160 MB more.
import { createRequire } from 'node:module';

// The packages' modules for `import` name files that they do not contain.
const require = createRequire(import.meta.url);

/** Writes lib/platform/database/generated. */
export async function generateDatabaseClient() {
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const { getGenerators, loadSchemaContext } = require('@prisma/internals');
  const schemaContext = await loadSchemaContext({
    schemaPath: { cliProvidedPath: 'prisma/schema.prisma' },
    printLoadMessage: false,
  });
  const registry = { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } };
  for (const generator of await getGenerators({ schemaContext, registry })) {
    await generator.generate();
    generator.stop();
  }
}
