import { isAudioName } from './audio/file-names.ts';
import { MOST_CHOICES, type Complete } from './command.ts';
import { userError } from './errors.ts';
import type { Attachment, Message, MessageFile } from './model.ts';
import type { Services } from './services.ts';
import { quote } from './text/plain-line.ts';

export { clock } from './text/clock.ts';
export { plainLine, quote } from './text/plain-line.ts';
export { readChannels, readLanguages, splitTyped } from './text/typed-lists.ts';
export { MINUTE_MS } from './time.ts';

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

/** What the platform says that a voice message lasts; undefined of other files. */
export const durationMsOf = (file: Attachment): number | undefined =>
  (file as Partial<MessageFile>).voice?.durationMs;

/** In a list with Traditional Chinese, Chinese is called Simplified. */
const LISTED_AS: Readonly<Record<string, string>> = { zh: 'zh-Hans' };

/** A language as people choose it from a list: its name, what it calls itself, its code. */
export const languageLabel = (code: string, locale: string, { languages }: Services): string => {
  const listed = LISTED_AS[code] ?? code;
  const [name, own] = [languages.name(listed, locale), languages.name(listed, listed)];
  return `${own.toLowerCase() === name.toLowerCase() ? name : `${name} · ${own}`} (${code})`;
};

/** Completes a language by its name or code. */
export const completeLanguage: Complete = (typed, { services, locale }) =>
  services.languages
    .search(typed, locale)
    .slice(0, MOST_CHOICES)
    .map(({ code }) => ({ value: code, label: languageLabel(code, locale, services) }));

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

/** The code of the language that a person typed, or an error that names it. */
export const languageOf = (typed: string, services: Services): string => {
  const code = services.languages.find(typed);
  if (code === undefined)
    throw userError('bad-input', 'errors.unknown-language', { language: quote(typed) });
  return code;
};
