import { realClock, sleep } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import { createSpacing } from '../../async/spacing.ts';
import { toAppError } from '../../errors.ts';
import { channelKey, keyOf, messageKey, type MessageRef, type Posted } from '../../model/place.ts';
import type { Space } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { WATCH, type Row } from '../../store/inbox/row.ts';
import type { Store } from '../../store/index.ts';
import { RELAXED } from '../../store/writer.ts';
import { composeLines } from '../prepare/compose-compact.ts';
import type { CompactLine, MirrorContent } from '../prepare/compose.ts';
import { ifSoon, type WatchedPlatforms } from '../watched-platforms.ts';
import type { Step } from './plan.ts';

/** Bounds of one reply for several messages: their number, the length of all lines in UTF-16 units, and the time between two. */
const MOST_MESSAGES = 5;
const MOST_CHARS = 1_500;
const QUICK_MS = 30_000;
/** Time between two edits for which a reply takes more lines. */
const EDIT_EVERY_MS = 1_000;
/** Messages below a reply that are looked at before it takes more lines, and the longest wait for them. */
const MOST_BELOW = 20;
const BELOW_MS = 2_000;
/** Looks at what a reply is to show, while other processes may change it. */
const LOOKS = 3;
const MOST_LINES = 5_000;
const MOST_CHANNELS = 5_000;
/** Replies that are looked through, and the difference of clocks that is reckoned with. */
const MOST_BESIDES = 500;
const CLOCKS_MS = 60_000;
/** Stored hash of a message whose line is to be removed. */
const REMOVED = '-';

export interface CompactRepliesDeps {
  readonly stored: Pick<MirrorStore, 'of' | 'sourcesOf' | 'put' | 'besides'>;
  readonly store: Pick<Store, 'write'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  /** Makes the line of a message anew; undefined where it has none any more. */
  readonly lineOf: (ref: MessageRef, signal: AbortSignal) => Promise<CompactLine | undefined>;
  /** Monotonic time. */
  readonly nowMs: () => number;
}

interface Held {
  readonly signal: AbortSignal;
  readonly assertHeld: () => void;
}

/** The messages that a reply shows, as far as they say whether it takes more. */
interface Room {
  /** Number of the turn of its author, which ends when somebody else writes in the channel. */
  readonly turn: number;
  readonly count: number;
  readonly chars: number;
  /** Time at which the last one was written, ms since 1970. */
  readonly lastMs: number;
}

const lineIn = ({ line, label, content }: MirrorContent, source: MessageRef): CompactLine =>
  line ?? { source, blocks: [{ label, text: content.text }], isCut: false, isWhole: false };

const lengthOf = ({ content: { content } }: Step): number => plainText(content.text).length;

const wholeOf = (step: Step): readonly Step[] => step.together ?? [step];
const linesOf = (steps: readonly Step[]): readonly CompactLine[] =>
  steps.map(({ content, prepared: { row } }) => lineIn(content, row.ref));

export type CompactReplies = ReturnType<typeof createCompactReplies>;

/**
 * Creates what lets one compact reply show several messages that one person writes quickly, where nobody else writes in
 * between. Each message has its own record: its line is changed and removed with it. No text is stored: lines that are not
 * in memory are made anew.
 */
export const createCompactReplies = (deps: CompactRepliesDeps) => {
  const { stored, store, platforms, lineOf, nowMs } = deps;
  const known = createLru<string, { line: CompactLine; hash: string; authorId: string }>(
    MOST_LINES,
  );
  const speakers = createLru<string, { readonly authorId: string; readonly turn: number }>(
    MOST_CHANNELS,
  );
  /** The last reply of each channel. */
  const open = createLru<string, Room & { readonly posted: Posted }>(MOST_CHANNELS);
  const turnOf = new WeakMap<Row, number>();
  const turns = createKeyedMutex();
  const editTurn = createSpacing(nowMs, { everyMs: EDIT_EVERY_MS });

  const put = (steps: readonly Step[], target: MirrorTarget, posted: Posted, isDone: boolean) =>
    store.write(async (db) => {
      for (const { prepared, models } of steps) {
        const contentHash = isDone ? prepared.row.contentHash : '';
        await stored.put(db, prepared.row, { target, posted, contentHash, models }, !isDone);
      }
    }, RELAXED);

  const keep = ({ prepared: { row }, content }: Step): void => {
    const { ref, contentHash: hash, authorId } = row;
    if (content.line) known.set(messageKey(ref), { line: content.line, hash, authorId });
  };

  /** The messages that a reply shows, in their order, each with the stored hash. */
  const sourcesOf = async ({ channel, ids: [id] }: Posted) => {
    const sources = await stored.sourcesOf({ channel, id });
    const watched = sources.filter(({ purpose }) => purpose === WATCH);
    return Promise.all(
      watched.map(async (source) => {
        const mirrors = await stored.of(source);
        const mirror = mirrors.find(({ posted }) => posted?.ids.includes(id));
        return { ref: source.ref, hash: mirror?.contentHash ?? '' };
      }),
    );
  };

  /**
   * Lets a reply show what is stored of it, and again where that has changed meanwhile.
   *
   * @param own lines of messages that change now
   * @param isLeaving true where lines that cannot be made now are left out
   */
  const show = async (
    posted: Posted,
    own: ReadonlyMap<string, CompactLine>,
    { signal, assertHeld }: Held,
    isLeaving = false,
  ): Promise<void> => {
    const { mirrors } = platforms.of(posted.channel);
    let before: string | undefined;
    for (let look = 0; look < LOOKS; look += 1) {
      const sources = (await sourcesOf(posted)).filter(({ hash }) => hash !== REMOVED);
      const now = JSON.stringify(sources.map(({ ref, hash }) => [ref.id, hash]));
      if (now === before) return;
      before = now;
      const found = await Promise.all(
        sources.map(async ({ ref, hash }) => {
          const key = messageKey(ref);
          const kept = known.get(key);
          const line = own.get(key) ?? (kept?.hash === hash ? kept.line : undefined);
          if (line) return line;
          return lineOf(ref, signal).catch((thrown: unknown) => {
            if (!isLeaving) throw thrown;
            return undefined;
          });
        }),
      );
      const content = composeLines(found.filter((line) => line !== undefined));
      const source = sources[0]?.ref;
      assertHeld();
      if (!source) return;
      // The whole message goes where nothing can be shown of it.
      if (!content) return mirrors.remove(posted, source, { assertHeld });
      await mirrors.update(posted, { ...content, source, key: WATCH }, { assertHeld });
    }
  };

  /** True of a reply that was given several messages here. */
  const showsOthers = async (posted: Posted, row: Row): Promise<boolean> => {
    const { mirrors, repliesInThreads } = platforms.of(posted.channel);
    if (row.purpose !== WATCH || repliesInThreads || mirrors.isShared?.(posted)) return false;
    const sources = await sourcesOf(posted);
    return sources.some(({ ref, hash }) => ref.id !== row.ref.id && hash !== REMOVED);
  };

  const writtenMs = ({ ref, position }: Row): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  /** True of a message whose line may stand in one reply with others. */
  const isQuick = ({ prepared: { row, fault, mayExist, message }, content }: Step): boolean =>
    content.line?.isWhole === true &&
    fault === undefined &&
    !mayExist &&
    !row.isMissed &&
    row.authorId !== '' &&
    message?.threadId === undefined &&
    // In a thread of its own, a reply disturbs nobody.
    platforms.of(row.ref.channel).repliesInThreads !== true;

  /** The room of one reply for these steps, which are of one turn. */
  const roomOf = (steps: readonly Step[]): Room => ({
    turn: (steps[0] && turnOf.get(steps[0].prepared.row)) ?? 0,
    count: steps.length,
    chars: steps.reduce((sum, step) => sum + lengthOf(step), 0),
    lastMs: Math.max(...steps.map(({ prepared: { row } }) => writtenMs(row))),
  });

  const both = (a: Room, b: Room): Room => ({
    turn: a.turn,
    count: a.count + b.count,
    chars: a.chars + b.chars,
    lastMs: Math.max(a.lastMs, b.lastMs),
  });

  const takes = (reply: Room, steps: readonly Step[]): boolean => {
    const more = roomOf(steps);
    const { count, chars } = both(reply, more);
    const isNext = more.turn === reply.turn && more.lastMs >= reply.lastMs;
    const isRoom = count <= MOST_MESSAGES && chars <= MOST_CHARS;
    return isNext && more.lastMs - reply.lastMs <= QUICK_MS && isRoom && steps.every(isQuick);
  };

  /** True where nothing but messages of its author stands below a reply; false where that is not known soon. */
  const isLowest = async (
    { posted: { channel, ids }, lastMs }: Pick<Room, 'lastMs'> & { readonly posted: Posted },
    { prepared: { row } }: Step,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { feed } = platforms.of(channel);
    const reading = feed.newest(channel, feed.positionAt(lastMs), MOST_BELOW, signal);
    const below = await ifSoon(BELOW_MS, reading);
    return (
      below?.every(({ ref, author }) => ids.includes(ref.id) || author.id === row.authorId) ?? false
    );
  };

  return {
    /** Takes a row in the order of its channel. */
    note: (row: Row): void => {
      const key = channelKey(row.ref.channel);
      const before = speakers.get(key);
      const isSame = before?.authorId === row.authorId;
      const turn = (before?.turn ?? 0) + (isSame ? 0 : 1);
      speakers.set(key, { authorId: row.authorId, turn });
      turnOf.set(row, turn);
    },

    /** Puts steps that one new reply can show into one, in their order. */
    merge: (steps: readonly Step[]): Step[] => {
      const merged: Step[] = [];
      for (const step of steps) {
        const last = merged.at(-1);
        const before = last ? wholeOf(last) : [];
        const together = [...before, step];
        const isTaken = before.every(isQuick) && last && takes(roomOf(before), [step]);
        const content = isTaken ? composeLines(linesOf(together)) : undefined;
        if (last && content) merged[merged.length - 1] = { ...last, content, together };
        else merged.push(step);
      }
      return merged;
    },

    /** Lets the last reply of the channel show a step's messages too; resolves with false where it cannot. */
    join: async (step: Step, target: MirrorTarget, held: Held): Promise<boolean> => {
      const key = channelKey(target.channel);
      const reply = open.get(key);
      const steps = wholeOf(step);
      if (!reply || !takes(reply, steps)) return false;
      const { posted } = reply;
      const waitMs = editTurn(messageKey({ ...posted, id: posted.ids[0] }));
      if (waitMs > 0) await sleep(realClock, waitMs, held.signal);
      using _ = await turns.take(posted.ids[0]);
      if (!(await isLowest(reply, step, held.signal))) return false;
      const own = new Map(linesOf(steps).map((line) => [messageKey(line.source), line]));
      // Stored first: what is shown then is never unknown.
      await put(steps, target, posted, false);
      try {
        await show(posted, own, held);
      } catch (thrown) {
        open.delete(key);
        if (toAppError(thrown).code !== 'not-found') throw thrown;
        return false;
      }
      await put(steps, target, posted, true);
      steps.forEach(keep);
      open.set(key, { posted, ...both(reply, roomOf(steps)) });
      return true;
    },

    /** Stores a new reply with all of its messages. */
    opened: async (step: Step, target: MirrorTarget, posted: Posted): Promise<void> => {
      const steps = wholeOf(step);
      steps.forEach(keep);
      if (steps.every(isQuick)) open.set(channelKey(target.channel), { posted, ...roomOf(steps) });
      await put(steps, target, posted, true);
    },

    /** Changes the line of a message in a reply that shows others, too; resolves with false for any other. */
    update: async (posted: Posted, step: Step, held: Held): Promise<boolean> => {
      const { row } = step.prepared;
      using _ = await turns.take(posted.ids[0]);
      keep(step);
      if (!(await showsOthers(posted, row))) return false;
      await show(posted, new Map([[messageKey(row.ref), lineIn(step.content, row.ref)]]), held);
      return true;
    },

    /** Removes the line of a message from a reply that shows others, too; resolves with false for any other. */
    remove: async (
      posted: Posted,
      row: Row,
      target: MirrorTarget,
      held: Held,
    ): Promise<boolean> => {
      known.delete(messageKey(row.ref));
      using _ = await turns.take(posted.ids[0]);
      if (!(await showsOthers(posted, row))) return false;
      await store.write(
        (db) => stored.put(db, row, { target, posted, contentHash: REMOVED }, false),
        RELAXED,
      );
      await show(posted, new Map(), held, true);
      return true;
    },

    /** Lists the replies that show other messages than this one, perhaps below it. */
    besides: async (row: Row): Promise<readonly Posted[]> =>
      platforms.of(row.ref.channel).repliesInThreads
        ? []
        : stored.besides(row, writtenMs(row) - CLOCKS_MS, MOST_BESIDES),

    forget: (authorId: string): void => {
      for (const [key, line] of known) if (line.authorId === authorId) known.delete(key);
    },
    forgetAll: known.clear,
    forgetSpace: (space: Space): void => {
      for (const [key, { line }] of known)
        if (keyOf(line.source.channel.space) === keyOf(space)) known.delete(key);
    },
  };
};
