import type { Log } from '../../log.ts';
import type { Leases, Tenure, Work } from '../../ports/leases.ts';
import { LEASE_MS, NOW_MS, type Granted } from './lease-rows.ts';
import type { ListenSession } from './session.ts';

export interface ShareDeps<Deadline> {
  readonly session: ListenSession;
  readonly owner: string;
  readonly set: string;
  readonly size: number;
  readonly work: (tenure: Tenure) => Work;
  readonly log: Log;
  readonly acquire: Leases['acquire'];
  /** Waits until a lease of a set is released, or for another look. */
  readonly change: (set: string, signal: AbortSignal) => Promise<void>;
  readonly begin: (granted: Granted, until: Deadline) => Tenure;
  readonly deadline: () => Deadline;
  /** Functions that hear what the holder of a name is told, by the name. */
  readonly hearers: Map<string, (message: string) => void>;
}

const MAKE = `
  INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
  SELECT $1 || number, $1, '', 0, 0 FROM generate_series(0, $2::int - 1) AS number
  ON CONFLICT (name) DO NOTHING`;

/** The number of processes that share a set, and of those whose names come before this one's. */
const COUNT = `
  SELECT count(*) AS members, count(*) FILTER (WHERE owner < $2) AS before
  FROM lease WHERE set_name = $1 AND expires_ms > ${NOW_MS}`;

/** Rows that somebody else claims at this moment are skipped, so that nobody waits. */
const CLAIM = `
  UPDATE lease SET owner = $1, epoch = epoch + 1, expires_ms = ${NOW_MS} + $4
  WHERE name IN (
    SELECT name FROM lease WHERE set_name = $2 AND expires_ms <= ${NOW_MS}
    LIMIT $3 FOR UPDATE SKIP LOCKED)
  RETURNING name, epoch`;

interface Working {
  readonly tenure: Tenure;
  readonly work: Work;
}

/** The part of a set that falls to one of its processes: equal, the first ones have one more. */
export const partOf = (size: number, members: number, before: number): number =>
  Math.floor(size / members) + (before < size % members ? 1 : 0);

/** Holds this process's part of a set of names; see `Leases.share`. */
export const shareNames = <Deadline>(deps: ShareDeps<Deadline>): AsyncDisposable => {
  const { session, owner, size, log, change, begin, deadline, hearers } = deps;
  const set = `${deps.set}:`;
  const closing = new AbortController();
  const working = new Map<string, Working>();

  const forget = (tenure: Tenure): void => {
    if (working.get(tenure.name)?.tenure !== tenure) return;
    working.delete(tenure.name);
    hearers.delete(tenure.name);
  };

  const start = async (granted: Granted, until: Deadline): Promise<void> => {
    const tenure = begin(granted, until);
    // The answer came too late.
    if (!tenure.isHeld()) return tenure.release();
    // What is told from now on is heard; the work itself begins with what is stored.
    const work = deps.work(tenure);
    working.set(tenure.name, { tenure, work });
    hearers.set(tenure.name, (message) => work.hear(message));
    tenure.signal.addEventListener('abort', () => forget(tenure), { once: true });
  };

  const give = async ({ tenure, work }: Working): Promise<void> => {
    await work[Symbol.asyncDispose]();
    forget(tenure);
    await tenure.release();
  };

  /** Claims or gives back names, as this process's part asks for. */
  const look = async (): Promise<void> => {
    const [counted] = await session.query<{ members: number; before: number }>(COUNT, [
      `member of ${set}`,
      owner,
    ]);
    if (!counted || counted.members === 0) return;
    const part = partOf(size, counted.members, counted.before);
    const lacking = part - working.size;
    if (lacking < 0) await Promise.all([...working.values()].slice(lacking).map(give));
    if (lacking <= 0) return;
    const until = deadline();
    const granted = await session.query<Granted>(CLAIM, [owner, set, lacking, LEASE_MS]);
    await Promise.all(granted.map((each) => start(each, until)));
  };

  const run = async (): Promise<void> => {
    let isMade = false;
    while (!closing.signal.aborted) {
      try {
        if (!isMade) await session.query(MAKE, [set, size]);
        isMade = true;
        // A process whose own lease ended counts no more, and asks for no part until it has it again.
        const member = await deps.acquire(`member of ${set}${owner}`, closing.signal);
        try {
          while (member.isHeld()) {
            await look();
            await change(set, AbortSignal.any([closing.signal, member.signal]));
            closing.signal.throwIfAborted();
          }
        } finally {
          await member.release();
        }
      } catch (err) {
        if (closing.signal.aborted) break;
        log.debug({ err, set }, 'leases could not be shared');
        await change(set, closing.signal);
      }
    }
  };
  const running = run();

  return {
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await running;
      await Promise.all([...working.values()].map(give));
    },
  };
};
