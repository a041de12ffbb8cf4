import type { ServerResponse } from 'node:http';
import { spoil, type ConnectionEffect } from '../spoil.ts';

/** How a request is spoilt: as on any connection, by an error of the method, or by any answer. */
export type Effect =
  | ConnectionEffect
  | { readonly error: string }
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> };

/** Does what was planned; true where there will be no other answer. */
export const spoilAnswer = async (
  effect: Effect | undefined,
  when: 'before' | 'after',
  response: ServerResponse,
): Promise<boolean> => {
  if (effect && 'status' in effect && when === 'before') {
    response.writeHead(effect.status, effect.headers ?? {}).end(effect.body ?? '');
    return true;
  }
  return spoil(effect, when, response);
};
