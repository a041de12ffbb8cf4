import type { Tenure } from '../../src/ports/processes.ts';
import type { Row } from '../../src/store/inbox/row.ts';

export interface ClaimResult {
  /** What must never happen, and did; empty where all is well. */
  readonly violations: readonly string[];
  readonly posted: number;
  /** Posts of a change that was posted before. */
  readonly postedAgain: number;
}

/** A message as a platform reports it. */
export interface Reported {
  readonly channel: { readonly space: { platform: string; id: string }; readonly id: string };
  readonly number: number;
  /** Version, from 1; 0 for one that is deleted. */
  version: number;
}

/** What became of a message. */
export interface Fate {
  readonly message: Reported;
  isStored: boolean;
  /** True once it was changed, so that it may be handled later than those after it. */
  isChanged: boolean;
  /** Versions in the order in which they were sent to the platform, `deleted` where nothing is to stand. */
  readonly sent: string[];
  readonly revisions: Set<number>;
  readonly settled: Set<number>;
}

/** Text of a version. */
export const textOf = (version: number): string =>
  version === 0 ? 'deleted' : `version ${version}`;

/** Watches what becomes of messages, and notes what must never happen. */
export const createClaimWatch = (nowMs: () => number) => {
  const violations: string[] = [];
  const violate = (what: string): void =>
    void violations.push(`${Math.round(nowMs())} ms: ${what}`);
  const fates = new Map<string, Fate>();
  /** The tenures that claimed messages last, and those that claimed rows. */
  const claimedBy = new Map<string, Pick<Tenure, 'epoch'>>();
  const tenureOf = new WeakMap<Row, Pick<Tenure, 'epoch'>>();
  const result = { violations, posted: 0, postedAgain: 0 };
  const keyOf = ({ ref }: Row): string => `${ref.channel.id}/${ref.id}`;

  /** True when a later message of a channel was posted. */
  const isLate = ({ channel, number }: Reported): boolean =>
    fates
      .values()
      .some(
        ({ message, sent }) =>
          message.channel.id === channel.id && message.number > number && sent.length > 0,
      );

  return {
    result,
    violate,
    /** Adds a message that a platform reports from now on. */
    add: (message: Reported): Fate => {
      const fate: Fate = {
        message,
        isStored: false,
        isChanged: false,
        sent: [],
        revisions: new Set(),
        settled: new Set(),
      };
      fates.set(`${message.channel.id}/${message.number}`, fate);
      return fate;
    },
    claimed: (row: Row, tenure: Pick<Tenure, 'epoch'>): void => {
      claimedBy.set(keyOf(row), tenure);
      tenureOf.set(row, tenure);
    },
    /** Notes what a process is about to send to the platform. */
    sent: (row: Row, tenure: Tenure, isOwnedElsewhere: boolean): void => {
      const fate = fates.get(keyOf(row))!;
      const what = `message ${keyOf(row)}`;
      if (!tenure.isHeld()) violate(`${what} was posted by a tenure not held`);
      if (isOwnedElsewhere) violate(`${what} was posted while another process had its slot`);
      if (fate.revisions.has(row.revision)) {
        result.postedAgain += 1;
        if (!row.mayExist) violate(`${what} was posted twice unawares`);
      }
      if (fate.sent.length === 0 && !fate.isChanged && isLate(fate.message))
        violate(`${what} was posted after a later one`);
      result.posted += 1;
      fate.revisions.add(row.revision);
      const { message } = row;
      if (message === 'deleted') fate.sent.push(message);
      else if (typeof message === 'object') fate.sent.push(message.version ?? '');
    },
    settled: (row: Row): void => {
      const fate = fates.get(keyOf(row))!;
      const what = `message ${keyOf(row)}`;
      if (claimedBy.get(keyOf(row)) !== tenureOf.get(row))
        violate(`${what} was settled by a tenure that a later one took it from`);
      if (fate.settled.has(row.revision)) violate(`${what} was settled twice`);
      fate.settled.add(row.revision);
    },
    /** What is not yet handled, of so many messages. */
    missing: (count: number): string | undefined => {
      if (fates.size < count) return 'not everything was said';
      for (const [key, { message, isStored, sent, revisions, settled }] of fates) {
        const isHandled = settled.size > 0 && settled.has(Math.max(...revisions));
        if (!isStored || !isHandled || sent.at(-1) !== textOf(message.version))
          return `message ${key} was not handled to its end: ${sent.join(', ')}`;
      }
      return undefined;
    },
  };
};
