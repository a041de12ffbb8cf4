import { hash } from 'node:crypto';

const ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 5 * 60_000;
const MAX_TRACKED_NETWORKS = 1_000;

interface Failures {
  readonly count: number;
  readonly sinceMs: number;
  /** Digests of the wrong cookies among them. */
  readonly cookies: ReadonlySet<string>;
}

const NONE = { count: 0, cookies: new Set<string>() };

/**
 * Counts the failures of each network, which is shut out after ten in five minutes.
 *
 * @param now returns ms since 1970
 */
export const createFailedAttempts = (now: () => number) => {
  const networks = new Map<string, Failures>();

  /** The failures that still count. */
  const recent = (network: string): Failures | undefined => {
    const failed = networks.get(network);
    const agoMs = failed ? now() - failed.sinceMs : Infinity;
    // They lie ahead where the clock was set back, and would shut out people for as long.
    return agoMs >= 0 && agoMs < ATTEMPTS_WINDOW_MS ? failed : undefined;
  };

  /** Returns true for the failure that shuts the network out. */
  const add = (network: string, cookie?: string): boolean => {
    const { count, sinceMs, cookies } = recent(network) ?? { ...NONE, sinceMs: now() };
    const known = cookie === undefined ? cookies : new Set([...cookies, hash('sha256', cookie)]);
    // A page goes on sending a cookie that was right once, and all pages of a token send the same.
    if (cookie !== undefined && known.size === cookies.size) return false;
    networks.delete(network);
    networks.set(network, { count: count + 1, sinceMs, cookies: known });
    const [oldest] = networks.keys();
    if (networks.size > MAX_TRACKED_NETWORKS && oldest !== undefined) networks.delete(oldest);
    return count + 1 === ATTEMPTS;
  };

  return {
    /** The time until which a network is shut out, in ms since 1970; undefined when it is not. */
    shutOutUntilMs: (network: string): number | undefined => {
      const failed = recent(network);
      return failed && failed.count >= ATTEMPTS ? failed.sinceMs + ATTEMPTS_WINDOW_MS : undefined;
    },
    /** Counts a wrong token; returns true for the failure that shuts the network out. */
    addToken: (network: string): boolean => add(network),
    /** Counts a wrong cookie, each value once; returns true for the failure that shuts the network out. */
    addCookie: (network: string, cookie: string): boolean => add(network, cookie),
    /** Forgets the failures of a network. */
    forget: (network: string): void => void networks.delete(network),
  };
};
