import type { IncomingMessage } from 'node:http';
import { MODELS_PATH, PATHS } from '../../src/api/contract.ts';
import { buffer } from 'node:stream/consumers';

/** One request as the service got it. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly json: Record<string, unknown>;
  /** The fields of a form in their order. */
  readonly form: readonly (readonly [string, string])[];
}

/** The one method of each path. */
export const METHODS: Readonly<Record<string, string>> = {
  [PATHS.chat]: 'POST',
  [PATHS.tts]: 'POST',
  [PATHS.voices]: 'GET',
  [PATHS.asr]: 'POST',
  [PATHS.translate]: 'POST',
  [MODELS_PATH]: 'GET',
};

/** Reads a request; one whose body is not what its type says has neither fields nor JSON. */
export const readRequest = async (
  request: IncomingMessage,
): Promise<Seen & { readonly isWhole: boolean }> => {
  const body = await buffer(request);
  const type = request.headers['content-type'] ?? '';
  const seen = { path: request.url ?? '', headers: request.headers, json: {}, form: [] };
  try {
    if (type.startsWith('multipart/')) {
      const form = await new Response(body, { headers: { 'content-type': type } }).formData();
      const named = [...form].map(
        ([name, value]) => [name, typeof value === 'string' ? value : value.name] as const,
      );
      return { ...seen, form: named, isWhole: true };
    }
    if (type === 'application/json') {
      const json = JSON.parse(String(body)) as Seen['json'];
      return { ...seen, json, isWhole: typeof json === 'object' && json !== null };
    }
    return { ...seen, isWhole: true };
  } catch {
    return { ...seen, isWhole: false };
  }
};
