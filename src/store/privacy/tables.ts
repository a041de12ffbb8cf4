import type { Schema } from '../schema.ts';

/** Columns of a table that name a space by its platform and id. */
export type SpaceColumns = readonly [platform: string, spaceId: string];

interface TableTraits {
  /** Columns by which a row belongs to a space, and goes with it; none where it belongs to none. */
  readonly spaces: readonly SpaceColumns[];
  /** True for what belongs to one database and the processes on it: it goes into no backup and no copy. Default: false. */
  readonly isOfDatabase?: true;
}

const OF_SPACE: TableTraits = { spaces: [['platform', 'space_id']] };
const OF_TWO_SPACES: TableTraits = {
  spaces: [
    ['source_platform', 'source_space_id'],
    ['target_platform', 'target_space_id'],
  ],
};
const OF_DATABASE: TableTraits = { spaces: [], isOfDatabase: true };

/** Days of each person's usage that are kept: those that `/usage` shows. */
export const USAGE_DAYS = 90;
/** Longer than a platform delivers an event again. */
export const DELIVERY_HOURS = 2;
/** Longer than people are told that the bot did not come back. */
export const ROOM_DAYS = 2;
/** Longer than moderators leave a proposal undecided. */
export const PROPOSAL_DAYS = 30;
/** Longer than a year, for those who look back on it once a year. */
export const AUDIT_DAYS = 400;
/** Longer than moderators take to see that they turned off what they did not mean to. */
export const UNDO_MINUTES = 10;
/** Longer than a pace takes to be learnt anew. */
export const STATE_DAYS = 1;

/** Every table: one that is missing here does not compile. */
export const TABLES: Readonly<Record<keyof Schema, TableTraits>> = {
  member_setting: OF_SPACE,
  room_consent: OF_SPACE,
  usage_day: OF_SPACE,
  inbox: OF_SPACE,
  delivery: OF_SPACE,
  open_answer: { ...OF_SPACE, isOfDatabase: true },
  pending_import: OF_SPACE,
  glossary_proposal: OF_SPACE,
  blocked_author: OF_SPACE,
  audit_entry: OF_SPACE,
  setup: OF_SPACE,
  mirror: OF_TWO_SPACES,
  mirror_message: OF_TWO_SPACES,
  standing_thread: OF_SPACE,
  linked_thread: OF_SPACE,
  copied_reaction: OF_SPACE,
  channel_watch: OF_SPACE,
  watch_undo: OF_SPACE,
  channel_cursor: OF_SPACE,
  history_gap: OF_SPACE,
  link_invite: OF_SPACE,
  link_request: {
    spaces: [
      ['platform', 'space_id'],
      ['from_platform', 'from_space_id'],
    ],
  },
  glossary_term: OF_SPACE,
  space_setting: OF_SPACE,
  space_key: OF_SPACE,
  installation: OF_SPACE,
  open_room: OF_SPACE,
  open_room_informed: OF_SPACE,
  quota: OF_DATABASE,
  agreement: OF_DATABASE,
  shared_state: OF_DATABASE,
  revision: OF_DATABASE,
  left_space: OF_DATABASE,
  lease: OF_DATABASE,
  machine: OF_DATABASE,
  restoration: { spaces: [] },
};

/** The tables with data of spaces, each with the columns that name them. */
export const TABLES_OF_SPACES: readonly (readonly [string, readonly SpaceColumns[]])[] =
  Object.entries(TABLES).flatMap(([table, { spaces }]) =>
    spaces.length === 0 ? [] : [[table, spaces] as const],
  );
