import {
  backoffMs,
  DAY_MS,
  MINUTE_MS,
  realClock,
  type Backoff,
  type Clock,
} from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import { createRunning } from '../../async/running.ts';
import { toAppError } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { Content } from '../../model/message.ts';
import { channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import type { Quota } from '../../ports/processes.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** Time in which a flood of messages is told of once. */
export const FLOOD_MS = 60 * MINUTE_MS;
const SECOND_MS = 1_000;

/** Rates of the kinds of lines in one space, over all processes. */
const RATES = {
  paused: { perSecond: SECOND_MS / (10 * MINUTE_MS), burst: 1 },
  resumed: { perSecond: SECOND_MS / (10 * MINUTE_MS), burst: 1 },
  limit: { perSecond: SECOND_MS / DAY_MS, burst: 1 },
  gaps: { perSecond: SECOND_MS / MINUTE_MS, burst: 10 },
  links: { perSecond: SECOND_MS / MINUTE_MS, burst: 10 },
  unapproved: { perSecond: 5 * (SECOND_MS / DAY_MS), burst: 5 },
  // As many as one other space may begin.
  pauses: { perSecond: SECOND_MS / MINUTE_MS, burst: 20 },
  lost: { perSecond: SECOND_MS / DAY_MS, burst: 5 },
  floods: { perSecond: SECOND_MS / FLOOD_MS, burst: 1 },
  proposals: { perSecond: SECOND_MS / MINUTE_MS, burst: 10 },
  'recordings-paused': { perSecond: SECOND_MS / (10 * MINUTE_MS), burst: 1 },
  'recordings-resumed': { perSecond: SECOND_MS / (10 * MINUTE_MS), burst: 1 },
} as const;

export type NoticeKind = keyof typeof RATES;

/** Writes a line in the language of a space's moderators. */
export type NoticeLine = (t: ReturnType<Texts['rich']>) => Pick<Content, 'text' | 'controls'>;

/** Spaces whose lines wait, and most of each. */
const MOST_SPACES = 1_000;
const MOST_LINES = 10;
/** Pauses of which it is remembered whether they were told; the end of any other one is told. */
const MOST_PAUSES = 1_000;
export const AGAIN: Backoff = { firstMs: MINUTE_MS, longestMs: 10 * MINUTE_MS };
/** Tries of a line: about a day. */
export const MOST_TRIES = 150;

/** Lines of a space that could not be said, the oldest first. */
interface Unsaid {
  readonly space: Space;
  readonly lines: NoticeLine[];
  tries: number;
  /** Resolves once what can be said is; undefined where nothing is being said. */
  saying?: Promise<void> | undefined;
}

export type ModeratorsChannel = ReturnType<typeof createModeratorsChannel>;

export interface ModeratorsChannelDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly post: (channel: Channel, content: Content) => Promise<void>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly quota: Pick<Quota, 'tryTake'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly log: Pick<Log, 'info'>;
  /** Default: the real clock's. */
  readonly after?: Clock['after'];
}

/**
 * Creates what says lines in the channel that a space's moderators chose. A line that cannot be said is tried again for
 * a day, and those after it wait for it.
 */
export const createModeratorsChannel = (deps: ModeratorsChannelDeps) => {
  const { spaces, post, platforms, quota, texts, log, after = realClock.after } = deps;
  const unsaid = createLru<string, Unsaid>(MOST_SPACES);
  const running = createRunning();
  const pauses = createLru<string, Promise<boolean | undefined>>(MOST_PAUSES);

  /** Says a line, or nothing where no channel is chosen; resolves with false where that fails. */
  const say = async (space: Space, line: NoticeLine): Promise<boolean> => {
    try {
      const { moderators: setting } = await spaces.of(space);
      if (!setting) return true;
      const channel = { space, id: setting.channel };
      const t = texts.rich(setting.locale, platforms.find(channel)?.naming);
      await post(channel, { ...line(t), tone: 'note' });
      return true;
    } catch (thrown) {
      const { code } = toAppError(thrown);
      log.info({ code, platform: space.platform }, "a moderators' channel could not be told");
      return false;
    }
  };

  const sayInTurn = async (all: Unsaid): Promise<void> => {
    let [line] = all.lines;
    while (line && (await say(all.space, line))) {
      all.lines.shift();
      [line] = all.lines;
    }
    all.saying = undefined;
  };
  /** Says what waits, once for all who ask meanwhile. */
  const sayUnsaid = (all: Unsaid): Promise<void> => (all.saying ??= sayInTurn(all));
  const againLater = (all: Unsaid): void => {
    after(backoffMs(AGAIN, all.tries), () => void again(all));
    all.tries += 1;
  };
  const again = async (all: Unsaid): Promise<void> => {
    await sayUnsaid(all);
    if (all.lines.length > 0 && all.tries < MOST_TRIES) againLater(all);
    // The space may have been left and joined again meanwhile.
    else if (unsaid.get(keyOf(all.space)) === all) unsaid.delete(keyOf(all.space));
  };

  const waits = (space: Space): boolean => unsaid.get(keyOf(space)) !== undefined;

  const sayOrKeep = async (space: Space, line: NoticeLine): Promise<void> => {
    if (!waits(space) && (await say(space, line))) return;
    const all = unsaid.get(keyOf(space));
    if (all) {
      if (all.lines.length < MOST_LINES) all.lines.push(line);
      return;
    }
    const first: Unsaid = { space, lines: [line], tries: 0 };
    unsaid.set(keyOf(space), first);
    againLater(first);
  };

  /**
   * Says a line, now or once that can be done; resolves with false where the rate of its kind is used up.
   *
   * @param kind undefined for what is said at any rate
   */
  const tell = (space: Space, kind: NoticeKind | undefined, line: NoticeLine): Promise<boolean> =>
    running.add(async () => {
      const name = `${keyOf(space)} moderators ${kind}`;
      if (kind && !(await quota.tryTake(name, RATES[kind]).catch(() => true))) return false;
      // A person's words are not kept for later: they are among the proposals.
      await (kind === 'proposals' ? say(space, line) : sayOrKeep(space, line));
      return true;
    });

  return {
    say,
    tell,
    /**
     * Says that a channel is paused, or is no longer, which is said at any rate, but where the pause was not.
     *
     * @param reader the channel that the line begins with
     */
    tellPause: (reader: Channel, paused: Channel, isBeginning: boolean, line: NoticeLine): void => {
      const { space } = reader;
      const key = `${keyOf(space)} ${channelKey(reader)} ${channelKey(paused)}`;
      const before = pauses.get(key);
      const inTurn = async (): Promise<boolean | undefined> => {
        const wasTold = await before;
        if (isBeginning) return (await tell(space, 'pauses', line)) || wasTold === true;
        if (wasTold !== false) await tell(space, undefined, line);
        return undefined;
      };
      pauses.set(key, running.add(inTurn));
    },
    /** Resolves once all is said, or failed, that is under way; what waits is tried once more. */
    drain: async (): Promise<void> => {
      await running.settled();
      await Promise.all([...unsaid].map(async ([, all]) => sayUnsaid(all)));
    },
    forgetSpace: (space: Space): void => {
      unsaid.get(keyOf(space))?.lines.splice(0);
      unsaid.delete(keyOf(space));
    },
  };
};
