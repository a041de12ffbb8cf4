export type MentionKind = 'member' | 'role' | 'channel';

/** The name behind an id, without `@` or `#`; undefined where it is not known. */
export type MentionNames = (kind: MentionKind, id: string) => string | undefined;
