import type { Texts } from '../../i18n/texts.ts';
import type { Space } from '../../model/place.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { MemberSettings } from '../../store/settings.ts';

/** The locales of a notice, each once: at least one of each kind. */
export interface NoticeLocales {
  readonly written: readonly string[];
  readonly spoken: readonly string[];
}

export interface NoticeLocalesDeps {
  readonly texts: Pick<Texts, 'pick'>;
  readonly settings: Pick<MemberSettings, 'of'>;
  readonly space: () => Space;
  /** BCP 47 codes: the language of the space, of the captions, and of who asked the bot to join. */
  readonly spaceLanguage: () => string;
  readonly captionLanguages: () => readonly string[];
  readonly askedIn: string;
}

/** Most locales of a notice: a longer one is not read. */
const MOST_LOCALES = 3;
/** Most people whose language is looked up for a notice. */
const MOST_ASKED = 50;

/**
 * Chooses the locales of a notice. It is written in the language of the space, then those of the
 * captions, then those that people chose; and spoken in those of the captions, or else of the space.
 */
export const createNoticeLocales = (
  deps: NoticeLocalesDeps,
): ((members: readonly RoomMember[]) => Promise<NoticeLocales>) => {
  const { texts, settings, space, spaceLanguage, captionLanguages, askedIn } = deps;
  const chosen = async ({ id }: RoomMember): Promise<readonly string[]> => {
    const person = { platform: space().platform, id };
    const own = await settings.of(person).catch(() => undefined);
    return own?.language === undefined ? [] : [own.language];
  };
  const locales = (languages: readonly string[]): readonly string[] =>
    [...new Set(languages.map((language) => texts.pick([language])))].slice(0, MOST_LOCALES);
  return async (members) => {
    const own = await Promise.all(members.slice(0, MOST_ASKED).map(chosen));
    const captions = captionLanguages();
    return {
      written: locales([spaceLanguage(), ...captions, askedIn, ...own.flat()]),
      spoken: locales(captions.length > 0 ? captions : [spaceLanguage()]),
    };
  };
};
