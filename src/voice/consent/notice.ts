import { MINUTE_MS } from '../../async/clock.ts';
import type { Channel, Posted } from '../../model/place.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { ListeningMode } from '../listening-mode.ts';
import type { RoomContext } from '../room-types.ts';
import { editUnlessDeleted } from '../status-messages.ts';
import type { Speaking } from '../tts/speaking.ts';

/** Informs people of a use of their speech. */
export type Notice = ReturnType<typeof createNotice>;

export interface NoticeDeps {
  readonly room: Pick<
    RoomContext,
    'services' | 'platform' | 'channel' | 'choices' | 'texts' | 'clock'
  >;
  readonly speaking: Pick<Speaking, 'announce'>;
  /** The language of the space, as a BCP 47 code. */
  readonly spaceLanguage: () => string;
  /** The languages of the captions, as BCP 47 codes. */
  readonly captionLanguages: () => readonly string[];
}

/** Most locales of a notice: a longer one is not read. */
const MOST_LOCALES = 3;
/** Most people whose language is looked up for a notice. */
const MOST_ASKED = 50;
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
 * It is written in the language of the space, then those of the captions, of who asked the bot to join, and
 * those that people chose; and spoken, short, in the first one of the captions, or else of the space.
 *
 * @param isPosted true when the one for everybody is there already, from before a restart
 */
export const createNotice = (
  { room, speaking, spaceLanguage, captionLanguages }: NoticeDeps,
  { use, rule }: Pick<ListeningMode, 'use' | 'rule'>,
  isPosted = false,
) => {
  const { services, platform, channel, choices, texts, clock } = room;
  let informedIn = isPosted ? channel().id : undefined;
  let late: LateNotice | undefined;
  let spokenMs = Number.NEGATIVE_INFINITY;
  let cancelSpoken: (() => void) | undefined;
  let isOver = false;

  /** The language that a member chose, if any. */
  const chosenBy = async ({ id }: RoomMember): Promise<readonly string[]> => {
    const person = { platform: channel().space.platform, id };
    const own = await services.settings.of(person).catch(() => undefined);
    return own?.language === undefined ? [] : [own.language];
  };
  const localesOf = (languages: readonly string[]): readonly string[] =>
    [...new Set(languages.map(texts.localeFor))].slice(0, MOST_LOCALES);

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
    const edited = before && (await editUnlessDeleted(platform, before.posted, content));
    late = {
      posted: edited ?? (await platform.post(to, content)),
      postedMs: edited && before ? before.postedMs : nowMs,
      members,
    };
  };

  const speak = async (): Promise<void> => {
    const locale = texts.localeFor(captionLanguages()[0] ?? spaceLanguage());
    spokenMs = clock.nowMs();
    await speaking.announce({ locale, text: texts.spokenNotice(use, rule, locale) });
    spokenMs = clock.nowMs();
  };
  const speakLater = (): void => {
    cancelSpoken ??= clock.after(spokenMs + SPOKEN_EVERY_MS - clock.nowMs(), () => {
      cancelSpoken = undefined;
      if (choices().spokenNotice) void speak();
    });
  };
  const speakIfDue = async (isLate: boolean): Promise<void> => {
    if (!choices().spokenNotice || isOver) return;
    if (isLate && clock.nowMs() - spokenMs < SPOKEN_EVERY_MS) speakLater();
    else await speak();
  };

  return {
    /**
     * Resolves when the notice is posted, and rejects when it cannot be; `understood` resolves when the people
     * may be listened to: after a spoken notice, if one is due.
     */
    inform: async (
      members: readonly RoomMember[],
    ): Promise<{ readonly understood: Promise<void> }> => {
      const chosen = await Promise.all(members.slice(0, MOST_ASKED).map(chosenBy));
      const captions = captionLanguages();
      const written = localesOf([spaceLanguage(), ...captions, texts.locale, ...chosen.flat()]);
      const to = channel();
      const isLate = informedIn === to.id;
      if (isLate) await writeLate(members, to, written);
      else {
        await platform.post(to, texts.notice(use, rule, undefined, written));
        late = undefined;
      }
      informedIn = to.id;
      return { understood: speakIfDue(isLate) };
    },
    [Symbol.dispose]: () => {
      isOver = true;
      cancelSpoken?.();
    },
  };
};
