import type { Texts } from '../../i18n/texts.ts';
import { isSameChannel, type Channel } from '../../model/place.ts';
import type { Changer, ChannelWatch } from '../../model/space.ts';
import { lines } from '../../rich-text/compose.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { Languages } from '../../text/language/languages.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { nameElsewhere } from './names.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { requestControls } from '../request-controls.ts';
import { noticeLanguage } from '../rules.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Tell } from '../tell.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface LinkNoticesDeps {
  readonly watches: Pick<WatchStore, 'group'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly texts: Pick<Texts, 'rich' | 'in' | 'pick'>;
  readonly languages: Pick<Languages, 'name'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly tell: Tell;
  readonly moderators: Pick<ModeratorNotices, 'linked'>;
}

/** The sentences that tell channels of their links with others. */
export type LinkNotice =
  | 'autotranslate.linked-here'
  | 'autotranslate.unlinked-here'
  | `autotranslate.${'removed' | 'held' | 'unheld'}-${'here' | 'elsewhere'}`
  | 'autotranslate.link-refused-here';

const ENDING: ReadonlySet<LinkNotice> = new Set([
  'autotranslate.unlinked-here',
  'autotranslate.removed-here',
  'autotranslate.removed-elsewhere',
]);

export const isFrom = (channel: Channel, by: Changer): boolean =>
  by.in !== undefined && isSameChannel(channel, by.in);

/** The server, and the people, by whom a link was made or ended; what is not known is left out. */
interface LinkNoticeParams {
  readonly server?: string;
  readonly asked?: string;
  readonly agreed?: string;
}

/** Creates what tells channels of what became of their auto-translate elsewhere. */
export const createLinkNotices = (deps: LinkNoticesDeps) => {
  const { watches, platforms, texts, spaces, tell, moderators, languages: languageNames } = deps;

  /** Tells channels that others were linked with them, or are no longer; each in its own language. */
  const tellLinks = async (
    readers: readonly ChannelWatch[],
    key: LinkNotice,
    about: readonly Channel[],
    { asked, agreed, ...params }: LinkNoticeParams = {},
  ): Promise<void> => {
    const names = await Promise.all(about.map((each) => nameElsewhere(each, platforms)));
    if (ENDING.has(key) || key === 'autotranslate.linked-here')
      for (const { channel } of readers)
        moderators.linked(channel, key === 'autotranslate.linked-here', names);
    for (const watch of readers) {
      const language = noticeLanguage(watch, await spaces.of(watch.channel.space));
      const t = texts.rich(language, platforms.find(watch.channel)?.naming);
      const by = asked !== undefined && { asked: quotedWords(asked) };
      const who =
        by && agreed !== undefined
          ? t('autotranslate.link-agreed', { ...by, agreed: quotedWords(agreed) })
          : by && t('autotranslate.link-added', by);
      void tell(watch.channel, lines(t(key, { ...params, channels: { list: names } }), who));
    }
  };

  /** The language of a linked channel, in which its members read; in any other one that of the person who changes it. */
  const localeOf = ({ mode, languages: [own] }: ChannelWatch, { locale }: Changer): string =>
    texts.pick([mode === 'mirror' && own !== undefined ? own : locale]);

  /** Tells a channel who turned auto-translate off for it, or paused it, where that was done elsewhere. */
  const tellOff = (
    watch: ChannelWatch,
    by: Changer | undefined,
    what: 'off-here' | 'paused-here' | 'paused-linked' | 'resumed-here' = 'off-here',
  ): void => {
    const { channel } = watch;
    if (!by || isFrom(channel, by)) return;
    const t = texts.rich(localeOf(watch, by), platforms.find(channel)?.naming);
    void tell(channel, t(`autotranslate.${what}`, { name: quotedWords(by.name) }));
  };

  /**
   * Tells channels who turned auto-translate on for them, or changed it, and into what, where that was done elsewhere.
   *
   * @param isKnown true for channels that were told what becomes of their messages. Default: for none
   */
  const tellOn = (
    set: readonly ChannelWatch[],
    by: Changer,
    isKnown: (channel: Channel) => boolean = () => false,
  ): void => {
    for (const watch of set) {
      const { channel, mode, languages } = watch;
      if (isFrom(channel, by)) continue;
      const locale = localeOf(watch, by);
      const names = new Intl.ListFormat(locale);
      const others = watches.group(watch).filter((each) => !isSameChannel(each.channel, channel));
      const into = mode === 'mirror' ? others.flatMap((each) => each.languages) : languages;
      const named = [...new Set(into)].map((code) => languageNames.name(code, locale));
      const params = { name: quotedWords(by.name), languages: names.format(named), mode };
      const t = texts.rich(locale, platforms.find(channel)?.naming);
      const controls = requestControls((key) => plainText(t(key)));
      void tell(
        channel,
        t(`autotranslate.${isKnown(channel) ? 'changed' : 'on'}-here`, params),
        mode === 'request' ? controls : undefined,
      );
    }
  };

  return { tellLinks, tellOff, tellOn };
};
