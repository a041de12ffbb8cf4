import { MINUTE_MS } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import type { Content } from '../../model/message.ts';
import { channelKey, type Channel, type Posted } from '../../model/place.ts';
import { lines } from '../../rich-text/compose.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import type { Tell } from '../tell.ts';
import { ifSoon, type WatchedPlatforms } from '../watched-platforms.ts';

/** Time for which a message takes more lines, the longest waits for a read and an edit, and the lines of one message. */
const LIFE_MS = 10 * MINUTE_MS;
const READ_MS = 2_000;
const EDIT_MS = 10_000;
const MOST_LINES = 3;
const MOST_CHANNELS = 1_000;

/** A line that tells a channel how its setup was changed. */
export interface SetupLine extends Pick<Content, 'text' | 'controls'> {
  readonly kind: 'state' | 'off' | 'pause';
  /** Name of the person who changed it. */
  readonly by: string;
  /** True where it tells that a machine translates, as nobody told before; and its words where it does. */
  readonly isOn?: boolean;
  readonly textOn?: RichText;
  /** True where it tells that messages appear in linked channels. */
  readonly isLinked?: boolean;
}

/** True where an earlier line is needed no more once this one is said; what a channel must be told stays. */
const replaces = (line: SetupLine, earlier: SetupLine): boolean => {
  // No pause outlasts the end of a setup.
  if (line.isOn && earlier.kind === 'pause') return true;
  if ((earlier.isOn && !line.isOn) || (earlier.isLinked && !line.isLinked)) return false;
  if (line.kind === 'pause' || earlier.kind === 'pause') return line.kind === earlier.kind;
  return line.isOn === true || earlier.by === line.by || line.kind !== earlier.kind;
};

/** Joins a line to those of a message. Who turned auto-translate on and changes it at once has turned it on as it is now. */
const joinLine = (before: readonly SetupLine[], line: SetupLine): readonly SetupLine[] => {
  const last = before.at(-1);
  const on = { ...line, isOn: true, text: line.textOn ?? line.text };
  const isSame = last?.isOn && last.by === line.by;
  const next = line.textOn && isSame && replaces(on, last) ? on : line;
  return [...before.filter((earlier) => !replaces(next, earlier)), next];
};

/**
 * Creates what tells channels how their setup was changed: in one message as long as that is the newest of its channel.
 *
 * @param times wall time, ms since 1970; monotonic time
 */
export const createSetupLines = (
  platforms: Pick<WatchedPlatforms, 'find' | 'edit'>,
  tell: Tell,
  { now, nowMs }: Readonly<Record<'now' | 'nowMs', () => number>>,
) => {
  const turns = createKeyedMutex();
  /** The last message of each channel. */
  const open = createLru<string, { posted: Posted; all: readonly SetupLine[]; atMs: number }>(
    MOST_CHANNELS,
  );

  /** Resolves with undefined where the message stays as it is, and where that is not known. */
  const edit = async (posted: Posted, content: Content): Promise<Posted | undefined> => {
    const { channel, ids } = posted;
    const feed = platforms.find(channel)?.feed;
    if (!feed || feed.isHistorySlow?.(channel)) return undefined;
    const from = feed.positionAt(now() - 2 * LIFE_MS);
    const reading = feed.newest(channel, from, 1, AbortSignal.timeout(READ_MS));
    const [newest] = (await ifSoon(READ_MS, reading)) ?? [];
    // What somebody answers stays.
    if (!newest || !ids.includes(newest.ref.id) || newest.replies?.count) return undefined;
    return ifSoon(EDIT_MS, platforms.edit(posted, content));
  };

  return {
    /** Tells a channel what `prepare` makes by what holds in its turn, if anything. Rejects as that does. */
    tell: async (channel: Channel, prepare: () => Promise<SetupLine | undefined>) => {
      const key = channelKey(channel);
      using _ = await turns.take(key);
      const line = await prepare();
      if (!line) return;
      const last = open.get(key);
      open.delete(key);
      // Buttons stay under their own line.
      if (last && !line.controls && nowMs() - last.atMs < LIFE_MS) {
        const all = joinLine(last.all, line);
        const content = { text: lines(...all.map(({ text }) => text)), tone: 'note' } as const;
        const posted = all.length <= MOST_LINES && (await edit(last.posted, content));
        if (posted) return open.set(key, { ...last, posted, all });
      }
      const posted = await tell(channel, line.text, line.controls);
      if (posted && !line.controls) open.set(key, { posted, all: [line], atMs: nowMs() });
    },
    /** Drops what is known of any space: what comes then is posted anew. */
    forgetSpace: open.clear,
  };
};
