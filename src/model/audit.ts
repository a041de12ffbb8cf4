import type { Space } from './place.ts';

/** The kinds of changes of a space that are noted. */
export const AUDITED = [
  'watch',
  'setting',
  'link-code',
  'link-asked',
  'link-refused',
  'link-withdrawn',
  'blocked',
  'unblocked',
  'key-set',
  'key-removed',
] as const;
export type Audited = (typeof AUDITED)[number];

/** A change of a space's links or settings. */
export interface AuditEntry {
  readonly id: string;
  /** ms since 1970. */
  readonly atMs: number;
  readonly what: Audited;
  /** The person who made it; undefined for nobody of this space, and after they had their data deleted. */
  readonly by: { readonly id: string; readonly name: string } | undefined;
  /** The name of the other space whose moderator made it; undefined where it is not known, or nobody there did. */
  readonly elsewhere: string | undefined;
  readonly channelId: string | undefined;
  /** The key of the person, blocked or of another space, whom it is about. */
  readonly about: string | undefined;
  /** The values that changed, by their names; undefined for nothing. */
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

/** A change with the name of its channel, and what is said of it. */
export interface ToldChange {
  readonly entry: AuditEntry;
  readonly channel: string;
  readonly said: string;
}

/** The changes of links and settings, which are kept for `days`. */
export interface Audit {
  readonly days: number;
  /**
   * Lists those of a space in slices, the newest first.
   *
   * @param beforeMs only those from before, ms since 1970
   */
  list(space: Space, beforeMs?: number): AsyncGenerator<readonly AuditEntry[]>;
  /** Writes changes as CSV, times in ISO 8601, values as JSON. */
  csv(entries: readonly AuditEntry[], tell: (entry: AuditEntry) => ToldChange): Promise<Uint8Array>;
}
