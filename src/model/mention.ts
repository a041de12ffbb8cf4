export type MentionKind = 'member' | 'role' | 'channel';

/** Somebody or something that a text names by its id. */
export interface Mention {
  readonly kind: MentionKind;
  readonly id: string;
}

/** The name behind an id, without `@` or `#`; undefined where it is not known. */
export type MentionNames = (kind: MentionKind, id: string) => string | undefined;
