import { listOf } from '../i18n/lists.ts';
import type { TranslateRich } from '../i18n/texts.ts';
import { channelMention } from '../model/place.ts';
import { usedLanguages, type ChannelWatch } from '../model/space.ts';
import { series } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Languages } from '../text/language/languages.ts';

/** The key of the words for a watch's mode. */
export const modeKey = ({ mode, below }: ChannelWatch) =>
  below ? 'autotranslate.modes.below' : (`autotranslate.modes.${mode}` as const);

/** Says that what is set for a channel is replaced, will be once it is linked, or was. */
export const replacedText = (
  old: ChannelWatch,
  languages: Pick<Languages, 'name'>,
  t: TranslateRich,
  locale: string,
  key:
    | 'autotranslate.replaced'
    | `autotranslate.link-replace${'s' | 'd'}` = 'autotranslate.replaced',
): RichText => {
  const names = usedLanguages(old).map((language) => languages.name(language, locale));
  const before = series([t(modeKey(old)), names.length > 0 && listOf(names, locale)]);
  return t(key, { channel: channelMention(old.channel), before });
};
