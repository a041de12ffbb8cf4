import type { TranslateRich } from '../../i18n/texts.ts';
import type { Control } from '../../model/message.ts';
import { channelKey, type Channel } from '../../model/place.ts';
import { plainText } from '../../rich-text/walk.ts';

/** The buttons by which moderators of a channel decide about one that came into its group. */
export const agreeControls = (
  channel: Channel,
  came: Channel,
  t: TranslateRich,
): readonly Control[] => {
  const buttons = [
    ['letin', 'autotranslate.link-yes', 'primary'],
    ['keepout', 'members.remove', 'danger'],
  ] as const;
  return buttons.map(([word, key, look]) => {
    const press = `autotranslate ${word}:${channel.id}|${channelKey(came)}`;
    return { kind: 'button', press, label: plainText(t(key)), look };
  });
};
