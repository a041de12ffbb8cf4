import type { CustomEmoji, Mention } from '../../../src/model/rich-text.ts';

export const PLATFORM = 'slack';

const person = /^[UWB][A-Z0-9]{0,30}$/;
const channel = /^[CGD][A-Z0-9]{0,30}$/;
const group = /^S[A-Z0-9]{0,30}$/;
/**
 * Names contain a letter, so that the middle of `10:30:45` is none; a few of Slack's own are
 * numbers.
 */
export const EMOJI_NAME = String.raw`(?:100|1234|[+-]1|[\p{N}_'+\-]{0,100}[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\p{N}_'+\-]{0,100})(?:::skin-tone-[2-6])?`;
const emojiName = new RegExp(`^${EMOJI_NAME}$`, 'u');

export const BROADCASTS: ReadonlySet<string> = new Set(['here', 'channel', 'everyone']);

/** True for a mention that Slack can show. */
export const isKnownMention = ({ platform, target, id }: Mention): boolean => {
  if (platform !== PLATFORM) return false;
  switch (target) {
    case 'member':
      return person.test(id);
    case 'channel':
      return channel.test(id);
    case 'group':
      return group.test(id);
    case 'broadcast':
      return BROADCASTS.has(id);
    case 'role':
    case 'command':
    case 'page':
      return false;
  }
};

export const isKnownEmoji = ({ platform, name }: CustomEmoji): boolean =>
  platform === PLATFORM && emojiName.test(name);
