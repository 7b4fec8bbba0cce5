import { freeOperations, operations } from '@/lib/catalog';
import { openApiDocument } from '@/lib/discovery/openapi/document';
import { documentRoute } from '@/lib/http/document-route';

export const GET = documentRoute((site) => openApiDocument({ operations, freeOperations }, site));
export const dynamic = 'force-dynamic';
