import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { tooMany } from './faults.ts';

export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/** 50 requests a second over all routes (reference, "Global rate limit"). */
const GLOBAL: Rate = { count: 50, windowMs: 1000 };
/** 10,000 answers of 401, 403 or 429 in 10 minutes shut an address out. */
const INVALID: Rate = { count: 10_000, windowMs: 600_000 };

interface Window {
  used: number;
  endsAt: number;
}

export interface Limits {
  /** Counts one request of a route; throws a 429 above its rate. Returns the headers of the answer. */
  bucket(route: string, major: string, rate: Rate, globalToo: boolean): Record<string, string>;
  /** A limit that no header announces. Throws a 429 above it. */
  hidden(key: string, rate: Rate, details?: { code?: number; message?: string }): void;
  /** The same without throwing: false above it. */
  allows(key: string, rate: Rate): boolean;
  /** Counts an answer towards the ban of the address, if its status does. */
  answered(status: number, headers: Record<string, string>): void;
  /** Answers of the last 10 minutes that count towards the ban. */
  invalidCount(): number;
}

/** Windows are `speed` times shorter than Discord's, and so is what the headers tell. */
export const createLimits = (clock: Clock, speed: number, off: boolean): Limits => {
  const windows = new Map<string, Window>();
  let invalid: number[] = [];

  const take = (key: string, rate: Rate): { left: number; waitMs: number; over: boolean } => {
    const now = clock.now();
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      window = { used: 0, endsAt: now + rate.windowMs / speed };
      windows.set(key, window);
    }
    const over = window.used >= rate.count;
    if (!over) window.used += 1;
    return { left: rate.count - window.used, waitMs: window.endsAt - now, over };
  };

  const recentlyInvalid = (): number => {
    const since = clock.now() - INVALID.windowMs;
    invalid = invalid.filter((at) => at > since);
    return invalid.length;
  };

  return {
    bucket: (route, major, rate, globalToo) => {
      if (off) return {};
      if (recentlyInvalid() >= INVALID.count)
        throw tooMany(clock, INVALID.windowMs, { global: true });
      if (globalToo) {
        const all = take('global', GLOBAL);
        if (all.over) throw tooMany(clock, all.waitMs, { global: true });
      }
      const hash = createHash('md5').update(route).digest('hex');
      const own = take(`${hash}:${major}`, rate);
      const headers = {
        'x-ratelimit-limit': String(rate.count),
        'x-ratelimit-remaining': String(own.left),
        'x-ratelimit-reset': String((clock.now() + own.waitMs) / 1000),
        'x-ratelimit-reset-after': String(Math.ceil(own.waitMs) / 1000),
        'x-ratelimit-bucket': hash,
      };
      if (!own.over) return headers;
      const refused = tooMany(clock, own.waitMs);
      Object.assign(refused.headers, headers);
      throw refused;
    },
    hidden: (key, rate, details) => {
      if (off) return;
      const own = take(key, rate);
      if (own.over) throw tooMany(clock, own.waitMs, details);
    },
    allows: (key, rate) => off || !take(key, rate).over,
    answered: (status, headers) => {
      const counts = status === 401 || status === 403 || status === 429;
      if (counts && headers['x-ratelimit-scope'] !== 'shared') invalid.push(clock.now());
    },
    invalidCount: recentlyInvalid,
  };
};
