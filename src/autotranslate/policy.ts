import type { Message } from '../model/message.ts';
import { isAudioName } from '../audio/file-names.ts';
import { isQuiet, type SpaceChoices } from '../model/space-choices.ts';
import type { ChannelWatch } from '../model/watch.ts';
import { isCommandLike } from '../text/command-like.ts';
import { isBlank, isEmojiOnly } from '../text/unicode.ts';

/** Why nothing is done with a message of a watched channel. */
export type SkipReason =
  | 'system'
  | 'bot'
  | 'opted-out'
  | 'quiet-channel'
  | 'command'
  | 'no-words'
  | 'same-language'
  | 'nothing-heard'
  | 'daily-limit'
  | 'deleted'
  | 'not-watched'
  | 'channel-gone'
  | 'space-gone'
  | 'forgotten';

/** True for a file that says it is audio; only decoding shows whether it is. */
export const claimsAudio = ({ mediaType, name, voice }: Message['files'][number]): boolean =>
  voice !== undefined ||
  mediaType.startsWith('audio/') ||
  (mediaType === 'application/octet-stream' && isAudioName(name));

export const hasWords = ({ text }: Message): boolean => !isBlank(text) && !isEmojiOnly(text);

/** The reason for which people do not want a message translated, whatever it says; asked again before it is posted. */
export const refusal = (
  { ref }: Pick<Message, 'ref'>,
  choices: Pick<SpaceChoices, 'quietChannels'>,
  optedOut: boolean,
): SkipReason | undefined => {
  if (optedOut) return 'opted-out';
  return isQuiet(ref.channel, choices) ? 'quiet-channel' : undefined;
};

/** Undefined where something is to be done, as far as can be told without reading the text. */
export const skipReason = (
  message: Message,
  watch: ChannelWatch,
  choices: Pick<SpaceChoices, 'quietChannels'>,
  optedOut: boolean,
): SkipReason | undefined => {
  if (message.system) return 'system';
  if (message.author.kind === 'bot' && !watch.bots) return 'bot';
  const refused = refusal(message, choices, optedOut);
  if (refused) return refused;
  if (isCommandLike(message.text)) return 'command';
  if (hasWords(message) || (watch.transcribes && message.files.some(claimsAudio))) return undefined;
  // Mirrored channels are one conversation: there a picture or a smile is part of it.
  const shown = message.files.length + message.stickers.length > 0 || !isBlank(message.text);
  return watch.mode === 'mirror' && shown ? undefined : 'no-words';
};
