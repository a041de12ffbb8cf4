import type { Schema } from '../schema.ts';

/** True for a table whose rows go into backups and copies. */
const IS_COPIED: Readonly<Record<keyof Schema, boolean>> = {
  glossary_term: true,
  member_setting: true,
  space_setting: true,
  usage_day: true,
  channel_watch: true,
  channel_cursor: true,
  inbox: true,
  mirror: true,
  mirror_message: true,
  standing_thread: true,
  room_consent: true,
  open_room: true,
  open_room_informed: true,
  installation: true,
  space_key: true,
  link_invite: true,
  delivery: true,
  history_gap: true,
  restoration: true,
  // What belongs to one database and the processes on it.
  lease: false,
  machine: false,
  revision: false,
  left_space: false,
  quota: false,
  agreement: false,
  shared_state: false,
};

/** Tables whose rows go into backups and copies. */
export const COPIED_TABLES = Object.entries(IS_COPIED)
  .filter(([, isCopied]) => isCopied)
  .map(([name]) => name);

/** Tables of what belongs to one database: they are empty in a backup. */
export const OWN_TABLES = [
  'lease',
  'machine',
  'revision',
  'quota',
  'agreement',
  'shared_state',
] as const;

/** Tables with the epoch of the tenure that has a row: epochs of two databases cannot be compared. */
export const CLAIMED_TABLES = ['inbox', 'open_room'] as const;

/** A row by the names of its columns. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/**
 * A row as another database has it: its claim belongs to the database in which it was made.
 *
 * @param table the name of its table
 */
export const withoutClaim = (table: string, row: TableRow): TableRow =>
  CLAIMED_TABLES.some((claimed) => claimed === table) && 'epoch' in row
    ? { ...row, epoch: 0 }
    : row;
