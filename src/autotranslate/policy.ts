import type { Message } from '../model/message.ts';
import { isAudioName } from '../audio/file-names.ts';
import type { MessageType, Ruled } from '../model/rules.ts';
import { isPaused, isQuiet, type SpaceChoices, type ChannelWatch } from '../model/space.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { visit } from '../rich-text/walk.ts';
import { languageOfFlag } from '../text/language/languages.ts';
import {
  isBlankMessage,
  isCommandMessage,
  isEmojiMessage,
  languageText,
} from '../text/message-checks.ts';
import { isBlank } from '../text/unicode.ts';
import { isTooShort, ruledOut, rulesOf } from './rules.ts';

/** Reasons for which a message of a watched channel is skipped. */
export const SKIP_REASONS = [
  'system',
  'bot',
  'bot-loop',
  'opted-out',
  'quiet-channel',
  'paused',
  'muted',
  'unagreed',
  'before-link',
  'blocked',
  'flood',
  'command',
  'no-words',
  'no-language',
  'on-request',
  'same-language',
  'nothing-heard',
  'daily-limit',
  'deleted',
  'not-watched',
  'channel-gone',
  'private-thread',
  'thread-gone',
  'threads-refused',
  'posts-only',
  'forgotten',
  'rule-people',
  'rule-roles',
  'rule-words',
  'rule-beginnings',
  'rule-types',
  'rule-shortest',
  'rule-languages',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** The language that a reaction stands for in a space; undefined where it stands for none. */
export const languageOfReaction = (
  emoji: string,
  { flags }: Pick<SpaceChoices, 'flags'>,
): string | undefined => {
  if (!flags.on) return undefined;
  // People name emoji of their own as they like, also `constructor`.
  return Object.hasOwn(flags.languages, emoji) ? flags.languages[emoji] : languageOfFlag(emoji);
};

/** True when a file claims to be audio; only decoding it shows if it is. */
export const claimsAudio = ({ mediaType, name, voice }: Message['files'][number]): boolean =>
  voice !== undefined ||
  mediaType.startsWith('audio/') ||
  (isAudioName(name) && /^(?:application\/|video\/(?!webm))/.test(mediaType));

export const hasWords = ({ text }: Pick<Message, 'text'>): boolean => !isEmojiMessage(text);

/** True for a message of emoji, links or code alone. */
export const isWordless = ({ text }: Pick<Message, 'text'>): boolean =>
  !hasWords({ text }) || isBlank(languageText(text));

/**
 * The reason for which people do not want a message translated, whatever its text; checked again
 * before posting.
 */
export const refusal = (
  { ref }: Pick<Message, 'ref'>,
  choices: Pick<SpaceChoices, 'quietChannels'>,
  optedOut: boolean,
): SkipReason | undefined => {
  if (optedOut) return 'opted-out';
  return isQuiet(ref.channel, choices) ? 'quiet-channel' : undefined;
};

const hasLink = (text: RichText): boolean => {
  let found = false;
  visit(text, ({ kind }) => (found ||= kind === 'link'));
  return found;
};

const typeOf = ({ holds, forwarded, files, text }: Message): MessageType => {
  if (holds === 'poll') return 'polls';
  if (forwarded || holds === 'share') return 'forwards';
  if (files.length > 0) return files.some(claimsAudio) ? 'recordings' : 'files';
  return hasLink(text) && isBlank(languageText(text)) ? 'links' : 'text';
};

/** The rule of the moderators that leaves a message out; checked again before posting. */
export const ruleAgainst = (
  message: Message,
  watch: ChannelWatch,
  choices: Pick<SpaceChoices, 'rules'>,
): `rule-${Ruled | 'shortest'}` | undefined => {
  const rules = rulesOf(watch, choices);
  const ruled = ruledOut({ ...message, type: typeOf(message) }, rules);
  if (ruled) return `rule-${ruled}`;
  // Linked channels are one conversation: what is short stays in it as it was written.
  const isLeftOut = watch.mode !== 'mirror' && !message.files.some(claimsAudio);
  return isLeftOut && isTooShort(message, rules) ? 'rule-shortest' : undefined;
};

/**
 * The reason to skip a message, as far as known without reading its text; undefined where there is
 * none.
 *
 * @param writtenMs time at which it was written, ms since 1970
 */
export const skipReason = (
  message: Message,
  watch: ChannelWatch,
  choices: Pick<SpaceChoices, 'quietChannels' | 'rules'>,
  optedOut: boolean,
  writtenMs: number,
): SkipReason | undefined => {
  if (message.system) return 'system';
  if (message.author.kind === 'bot' && !watch.bots) return 'bot';
  const refused = refusal(message, choices, optedOut);
  if (refused) return refused;
  // Linked channels keep it out for good, see `createReceivers`.
  if (watch.mode !== 'mirror' && isPaused(watch, writtenMs)) return 'paused';
  if (isCommandMessage(message.text)) return 'command';
  if (watch.mode === 'request') return 'on-request';
  const ruled = ruleAgainst(message, watch, choices);
  if (ruled) return ruled;
  if (hasWords(message) || (watch.transcribes && message.files.some(claimsAudio))) return undefined;
  // Mirrored channels are one conversation, so pictures and emoji are mirrored too.
  const shown = message.files.length + message.stickers.length > 0 || !isBlankMessage(message.text);
  return watch.mode === 'mirror' && shown ? undefined : 'no-words';
};
