import { ENTITY, entityChar, type EntityParts } from '../entities.ts';

const entity = new RegExp(ENTITY, 'g');

/** Turns HTML's entities into characters, unless the source has such ones itself. */
export const withoutEntities = (source: string, reply: string): string => {
  if (!reply.includes('&') || source.search(entity) >= 0) return reply;
  return reply.replaceAll(entity, (...match: unknown[]) => entityChar(match.at(-1) as EntityParts));
};
