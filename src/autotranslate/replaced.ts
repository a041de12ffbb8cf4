import { hash } from 'node:crypto';
import { userError } from '../errors.ts';
import { listOf } from '../i18n/lists.ts';
import type { TranslateRich } from '../i18n/texts.ts';
import { channelMention, isSameChannel, type Channel } from '../model/place.ts';
import { usedLanguages, type ChannelWatch } from '../model/space.ts';
import type { Control } from '../model/message.ts';
import { series } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainText } from '../rich-text/walk.ts';
import type { FormerSetups } from '../store/channels/former-setups.ts';
import type { Languages } from '../text/language/languages.ts';

/** The key of the words for a watch's mode. */
export const modeKey = ({ mode, below }: ChannelWatch) =>
  below ? 'autotranslate.modes.below' : (`autotranslate.modes.${mode}` as const);

const MARK_CHARS = 6;

/** Names a set of words in few characters, for a control that says which ones a person was shown. */
export const markOf = (words: readonly string[]): string =>
  hash('sha256', words.toSorted().join('\n'), 'base64url').slice(0, MARK_CHARS);

/** Names what is set for a channel at this moment in a control that replaces it. */
export const setupMark = (now: ChannelWatch | undefined): string =>
  markOf([JSON.stringify([now?.mode, now?.below, now?.languages, now?.group])]);

/**
 * Names what a person is shown before a channel is added to a group: what is set for it, and the group's channels elsewhere.
 *
 * @param elsewhere their keys
 */
export const joinMark = (now: ChannelWatch | undefined, elsewhere: readonly string[]): string =>
  `${markOf(elsewhere)}${setupMark(now)}`;

/** The error for a channel that is set up otherwise than a person was shown. */
export const panelChanged = (channel: Channel) =>
  userError('bad-input', 'autotranslate.panel-changed', { channel: channelMention(channel) });

/**
 * Throws `autotranslate.panel-changed` where a channel is set up otherwise than a person was shown.
 *
 * @param seen its `setupMark` then. Default: not compared
 */
export const demandSetup = (
  channel: Channel,
  current: readonly ChannelWatch[],
  seen: string | undefined,
): void => {
  const now = current.find((watch) => isSameChannel(watch.channel, channel));
  if (seen !== undefined && seen !== setupMark(now)) throw panelChanged(channel);
};

/** Says that what is set for a channel is replaced, will be once it is linked, or was. */
export const replacedText = (
  old: ChannelWatch,
  languages: Pick<Languages, 'name'>,
  t: TranslateRich,
  locale: string,
  key:
    | 'autotranslate.replaced'
    | 'autotranslate.former'
    | `autotranslate.link-replace${'s' | 'd'}` = 'autotranslate.replaced',
): RichText => {
  const names = usedLanguages(old).map((language) => languages.name(language, locale));
  const before = series([t(modeKey(old)), names.length > 0 && listOf(names, locale)]);
  return t(key, { channel: channelMention(old.channel), before });
};

/**
 * Says what a link had replaced in a channel that is off, with the button that brings it back; undefined where that is not known.
 *
 * @param place what follows the id of the end in the button. Default: nothing
 */
export const formerOffer = async (
  channel: Channel,
  find: FormerSetups['of'],
  languages: Pick<Languages, 'name'>,
  { t, locale }: { readonly t: TranslateRich; readonly locale: string },
  place = '',
) => {
  // What has ended is said also where this can't be found out.
  const former = await find(channel).catch(() => undefined);
  if (!former) return undefined;
  const press = `autotranslate former:${channel.id}/${former.id}${place}`;
  const label = plainText(t('autotranslate.former-back'));
  const text = replacedText(former.watch, languages, t, locale, 'autotranslate.former');
  return { text, control: { kind: 'button', press, label } satisfies Control };
};
