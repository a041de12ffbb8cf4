import type { Generated } from 'kysely';

/** Tables of processes: what they share, work on and have handled. */
export interface ProcessTables {
  /** Owner of each lease, and the number of times that it was acquired. */
  lease: {
    name: string;
    /** The set that processes share the name's leases of; see `Leases.share`. */
    set_name: Generated<string>;
    owner: string;
    epoch: number;
    /** End by the database's clock; 0 for one that nobody has. SQLite's leases have none. */
    expires_ms: Generated<number>;
  };
  delivery: {
    /** Grows with each event. */
    number: Generated<number>;
    platform: string;
    id: string;
    space_id: string;
    /** Events with the same key are handled in the order of their numbers. */
    order_key: string;
    /** Hash slot of the key; see `slotOf`. */
    slot: number;
    /** Id of the person whose words the body holds; null where there are none. */
    author_id: string | null;
    /** The event as JSON; null once it was handled. */
    body: string | null;
    received_ms: number;
  };
  /** An answer that somebody waits for. */
  open_answer: {
    id: string;
    platform: string;
    space_id: string;
    member_id: string;
    /** The process that works on it. */
    process: string;
    /** The place of the answer, as its platform finds it again. */
    address: string;
    since_ms: number;
  };
  /** One row, where the system has such a number. */
  machine: {
    /** Number of the start of the machine on which the database was opened last. */
    boot_id: string;
  };
  /** The number of changes of what processes keep in memory, by its topic. */
  revision: {
    topic: string;
    revision: number;
  };
  /** A space that the bot was removed from, of which nothing is stored any more. */
  left_space: {
    platform: string;
    space_id: string;
    left_ms: number;
  };
  /** One row, in a database that came back from a backup. */
  restoration: {
    /** Time at which it was opened for the first time afterwards; 0 before that. */
    at_ms: number;
  };
  /** A rate that processes share, as far as it is used up; see `Quota`. */
  quota: {
    name: string;
    /** Time whose uses are all given, microseconds by the database's clock. */
    used_until_us: number;
    /** Uses that the last request was given. */
    granted: number;
  };
  /** A number that all processes use; see `Agreements`. */
  agreement: {
    name: string;
    value: number;
  };
  /** A text that all processes change; see `SharedStates`. */
  shared_state: {
    name: string;
    state: string;
    changed_ms: number;
  };
}
