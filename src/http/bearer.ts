import { hash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that tells nothing of them. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));

/** The token in an `Authorization` header; undefined where it bears none. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
