import { z } from 'zod';
import { errorObject } from '../src/api/contract.ts';
import type { DescribedPath } from './route.ts';

export const OPENAPI_PATH = '/openapi.json';

const schemaOf = (schema: z.ZodType): object => {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return described;
};

const contentOf = (types: Readonly<Record<string, z.ZodType | undefined>>): object =>
  Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      schema ? { schema: schemaOf(schema) } : {},
    ]),
  );

const PARAMETER = /:(\w+)(?:\{[^}]*\})?/g;

const JSON_REPLY = { 'application/json': undefined };

const operationOf = (
  { path, summary, body, reply = JSON_REPLY }: DescribedPath,
  isFree: boolean,
): object => ({
  summary,
  ...(isFree ? { security: [] } : {}),
  parameters: [...path.matchAll(PARAMETER)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...(body ? { requestBody: { required: true, content: contentOf(body) } } : {}),
  responses: {
    200: { description: 'Success', content: contentOf(reply) },
    default: {
      description: 'Error',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  },
});

/**
 * Describes paths in OpenAPI 3.1, by the schemas with which their bodies are checked.
 *
 * @param free paths that need no key
 */
export const openApi = (
  paths: readonly DescribedPath[],
  free: readonly DescribedPath[],
): object => ({
  openapi: '3.1.0',
  info: { title: 'Speech, translation and language models', version: '1' },
  security: [{ key: [] }],
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    schemas: { Error: schemaOf(errorObject) },
  },
  paths: Object.fromEntries(
    [...paths, ...free].map((each) => [
      each.path.replaceAll(PARAMETER, '{$1}'),
      { [each.method.toLowerCase()]: operationOf(each, free.includes(each)) },
    ]),
  ),
});
