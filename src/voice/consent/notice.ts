import type { Clock } from '../../async/clock.ts';
import { MINUTE_MS } from '../../async/time.ts';
import { toAppError } from '../../errors.ts';
import type { Content } from '../../model/content.ts';
import type { Channel, Posted } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { ListeningMode } from '../listening-mode.ts';
import type { RoomTexts } from '../texts.ts';
import type { Speaking } from '../tts/speaking.ts';
import type { NoticeLocales } from './notice-locales.ts';

/** Informs people of a use of their speech. */
export interface Notice extends Disposable {
  /**
   * Resolves when the notice is posted, and rejects when it cannot be; `told` resolves when the people
   * may be listened to: after a spoken notice, if one is due.
   */
  readonly inform: (members: readonly RoomMember[]) => Promise<{ readonly told: Promise<void> }>;
}

export interface NoticeDeps {
  readonly clock: Clock;
  readonly platform: Pick<Platform, 'post' | 'edit'>;
  readonly channel: () => Channel;
  readonly speaking: Pick<Speaking, 'announce'>;
  readonly isSpoken: () => boolean;
  readonly locales: (members: readonly RoomMember[]) => Promise<NoticeLocales>;
  readonly texts: RoomTexts;
}

/** Most people whom a notice names; for more it addresses everybody. */
const MOST_NAMED = 10;
/** Least time between two spoken notices. */
const SPOKEN_EVERY_MS = MINUTE_MS;
/** Age after which a notice is posted anew, since captions have moved it out of sight. */
const EDITED_FOR_MS = 10 * MINUTE_MS;

/** A notice for newcomers, which is edited as more of them come. */
interface LateNotice {
  readonly posted: Posted;
  readonly postedMs: number;
  readonly members: readonly RoomMember[];
}

/**
 * Creates the notice of a listening mode: in writing, and aloud where the room wants that. The first one
 * in a room is for everybody. Newcomers share one message, and one spoken notice a minute: those who
 * come before it is due are informed in writing, and hear it later.
 *
 * @param isPosted true when the one for everybody is there already, from before a restart
 */
export const createNotice = (
  { clock, platform, channel, speaking, isSpoken, locales, texts }: NoticeDeps,
  { use, rule }: Pick<ListeningMode, 'use' | 'rule'>,
  isPosted = false,
): Notice => {
  let informedIn = isPosted ? channel().id : undefined;
  let late: LateNotice | undefined;
  let spokenMs = Number.NEGATIVE_INFINITY;
  let cancelSpoken: (() => void) | undefined;
  let isOver = false;

  const edit = async (posted: Posted, content: Content): Promise<Posted | undefined> => {
    try {
      return await platform.edit(posted, content);
    } catch (thrown) {
      // Somebody deleted it.
      if (toAppError(thrown).code === 'not-found') return undefined;
      throw thrown;
    }
  };
  const writeLate = async (
    newcomers: readonly RoomMember[],
    to: Channel,
    written: readonly string[],
  ): Promise<void> => {
    const nowMs = clock.nowMs();
    const before = late && nowMs - late.postedMs < EDITED_FOR_MS ? late : undefined;
    const ids = new Set(newcomers.map(({ id }) => id));
    const members = [...(before?.members ?? []).filter(({ id }) => !ids.has(id)), ...newcomers];
    const named = members.length <= MOST_NAMED ? members : undefined;
    const content = texts.notice(use, rule, named, written);
    const edited = before && (await edit(before.posted, content));
    late = {
      posted: edited ?? (await platform.post(to, content)),
      postedMs: edited && before ? before.postedMs : nowMs,
      members,
    };
  };

  const speak = async (spoken: readonly string[], isLate: boolean): Promise<void> => {
    spokenMs = clock.nowMs();
    await speaking.announce(
      spoken.map((locale) => ({ locale, text: texts.spokenNotice(use, rule, isLate, locale) })),
    );
    spokenMs = clock.nowMs();
  };
  const speakLater = (spoken: readonly string[]): void => {
    cancelSpoken ??= clock.after(spokenMs + SPOKEN_EVERY_MS - clock.nowMs(), () => {
      cancelSpoken = undefined;
      if (isSpoken()) void speak(spoken, true);
    });
  };
  const tell = async (spoken: readonly string[], isLate: boolean): Promise<void> => {
    if (!isSpoken() || isOver) return;
    if (isLate && clock.nowMs() - spokenMs < SPOKEN_EVERY_MS) speakLater(spoken);
    else await speak(spoken, isLate);
  };

  return {
    inform: async (members) => {
      const { written, spoken } = await locales(members);
      const to = channel();
      const isLate = informedIn === to.id;
      if (isLate) await writeLate(members, to, written);
      else {
        await platform.post(to, texts.notice(use, rule, undefined, written));
        late = undefined;
      }
      informedIn = to.id;
      return { told: tell(spoken, isLate) };
    },
    [Symbol.dispose]: () => {
      isOver = true;
      cancelSpoken?.();
    },
  };
};
