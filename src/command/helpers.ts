import { isAudioName } from '../audio/file-names.ts';
import type { Complete, PressContext } from './command.ts';
import type { Attachment, MessageFile } from '../model/file.ts';
import type { MessageKey } from '../message-key.ts';
import type { Control } from '../model/content.ts';
import type { Message } from '../model/message.ts';
import { series } from '../model/compose-rich-text.ts';
import { channelMention, type Space } from '../model/place.ts';
import type { RichText } from '../model/rich-text.ts';

export { roomTurns } from '../chat/room-turns.ts';
export { firstThatFits, voiceWishes } from '../speech/voice-preference.ts';
export { minutesAndSeconds } from '../text/time-of-day.ts';
export { quotedWords, typedCode } from '../text/quoted-words.ts';
export { isBlankMessage } from '../text/message-checks.ts';
export { languageText } from '../text/message-checks.ts';
export { parseMarkdown } from '../text/markdown/parse.ts';
export { readChannels } from '../text/typed-lists.ts';
export {
  completeLanguage,
  completeLanguages,
  languageLabel,
  typedLanguage,
  typedLanguages,
  MOST_LANGUAGES,
} from './languages.ts';
export {
  captionLanguages,
  captionRecord,
  hasRooms,
  joinedRoom,
  roomNearby,
  sharedRoom,
} from './room-helpers.ts';
export { MINUTE_MS } from '../async/time.ts';

/** Mentions of a space's channels in one row; a dash for none. */
export const channelNames = (space: Space, ids: readonly string[]): RichText =>
  series(ids.length === 0 ? ['–'] : ids.map((id) => channelMention({ space, id })), ' ');

/** A button that does `press`, with a sentence as its label. */
export const button = (
  { label }: Pick<PressContext, 'label'>,
  press: string,
  key: MessageKey,
  look: 'plain' | 'primary' | 'danger' = 'plain',
): Control => ({
  kind: 'button',
  press,
  label: label(key),
  ...(look === 'plain' ? {} : { look }),
});

const FILM_NAME = /\.mp4$/i;

/**
 * The first file of a message that may hold sound, a film's included: whoever asks for one by hand
 * means it. What is in it is not looked at.
 */
export const soundOf = ({ files }: Message): MessageFile | undefined =>
  files.find(
    ({ name, mediaType, voice }) =>
      voice !== undefined ||
      /^(?:audio|video)\//.test(mediaType) ||
      isAudioName(name) ||
      FILM_NAME.test(name),
  );

/** The length of a voice message as the platform says it; undefined for other files. */
export const durationMsOf = (file: Attachment): number | undefined =>
  (file as Partial<MessageFile>).voice?.durationMs;

/** Longest wait for the status of the service. */
const STATUS_MS = 3_000;

/** True when anything recognises speech; a service that is away for now may well do so. */
export const hears = async ({
  services,
  signal,
}: Pick<PressContext, 'services' | 'signal'>): Promise<boolean> => {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)]);
  const { reachable, engines } = await services.status(soon);
  const able = engines.filter(({ serves }) => serves.includes('recognition'));
  return !reachable || able.some(({ ready }) => ready);
};

/**
 * A list of voices that is asked for takes this long at most. Whoever types waits less: what comes
 * later completes the next letter.
 */
const VOICES_MS = 2_500;

/** Completes a voice by words of its description, its language or its gender. */
export const completeVoice: Complete = async (typed, { services }) => {
  const wish = typed.trim() === '' ? {} : { named: typed };
  const voices = await services.speaker.voices(wish, AbortSignal.timeout(VOICES_MS));
  return voices.map(({ id, description, language, gender }) => ({
    value: id,
    label: `${description} (${language}, ${gender})`,
  }));
};
