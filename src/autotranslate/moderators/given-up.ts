import { backoffMs, MINUTE_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import { createRunning } from '../../async/running.ts';
import { faultFields } from '../../errors.ts';
import { say as sayIn } from '../../i18n/texts.ts';
import { keyOf, type Space } from '../../model/place.ts';
import { series } from '../../rich-text/compose.ts';
import { link, text as plain } from '../../rich-text/rich-text.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { TOLD_AT_ONCE, type GivenUp } from '../../store/inbox/untold.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { AGAIN, MOST_TRIES, type ModeratorsChannel, type NoticeLine } from './channel.ts';

/** Time in which messages that are given up are told of in one line. */
export const GATHER_MS = MINUTE_MS;
const MOST_LINKS = 5;
/** Spaces whose failed tries are remembered. */
const MOST_SPACES = 1_000;

export interface GivenUpNoticesDeps {
  readonly inbox: Pick<InboxStore, 'untold'>;
  readonly moderators: Pick<ModeratorsChannel, 'say'>;
  readonly platforms: Pick<WatchedPlatforms, 'find' | 'all'>;
  readonly log: Pick<Log, 'warn'>;
  /** Wall time, ms since 1970. */
  readonly now: () => number;
}

/**
 * Creates what tells moderators of messages that were given up, from what is stored of them: nothing is lost with the
 * process. A line whose process is killed before it is known to be said comes again.
 */
export const createGivenUpNotices = (deps: GivenUpNoticesDeps) => {
  const { moderators, platforms, log, now } = deps;
  const { untold } = deps.inbox;
  const failed = createLru<string, { readonly tries: number; readonly dueMs: number }>(MOST_SPACES);
  /** Spaces that are being told: one that takes long keeps no other from it. */
  const busy = new Set<string>();
  const running = createRunning();
  /** The last space that was looked at, after which the next look begins: those that refuse keep no other from it. */
  let last: Space | undefined;

  const lineOf =
    ({ count, reason, refs }: GivenUp): NoticeLine =>
    (t) => {
      const links = refs.flatMap((ref, at) => {
        const url = platforms.find(ref.channel)?.feed.link?.(ref);
        return url === undefined ? [] : [link(url, plain(String(at + 1)))];
      });
      return {
        text: series([t('moderators.given-up', { count }), sayIn(t, reason), ...links], ' '),
        controls: [{ kind: 'button', press: 'status again', label: plainText(t('status.retry')) }],
      };
    };

  const tell = async (space: Space): Promise<void> => {
    const key = keyOf(space);
    const { tries, dueMs } = failed.get(key) ?? { tries: 0, dueMs: -Infinity };
    if (busy.has(key) || now() < dueMs) return;
    busy.add(key);
    try {
      const givenUp = await untold.begin(space, MOST_LINKS);
      if (!givenUp) return;
      const isOver = (await moderators.say(space, lineOf(givenUp))) || tries >= MOST_TRIES;
      if (isOver) {
        failed.delete(key);
        await untold.end(space);
      } else failed.set(key, { tries: tries + 1, dueMs: now() + backoffMs(AGAIN, tries) });
    } catch (thrown) {
      log.warn(faultFields(thrown), 'moderators could not be told of what was given up');
    } finally {
      busy.delete(key);
    }
  };

  return {
    /** Begins to tell all of whom something was given up. Never rejects. */
    look: async (): Promise<void> => {
      try {
        const names = [...platforms.all()].map(([name]) => name);
        const spaces = await untold.spaces(names, last);
        last = spaces.length < TOLD_AT_ONCE ? undefined : spaces.at(-1);
        for (const space of spaces) void running.add(() => tell(space));
      } catch (thrown) {
        log.warn(faultFields(thrown), 'what was given up could not be looked for');
      }
    },
    /** Resolves when nobody is being told. */
    idle: running.settled,
  };
};
