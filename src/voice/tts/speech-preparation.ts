import { randomUUID } from 'node:crypto';
import type { Voice } from '../../api/contract.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import { toFlatText } from '../../rich-text/pieces/pieces.ts';
import { map } from '../../rich-text/walk.ts';
import { firstThatFits, readingLanguage, voicePreferences } from '../../speech/voice-choice.ts';
import { languageText } from '../../text/message-checks.ts';
import { speakable } from '../../text/speech/speakable.ts';
import { termsFor } from '../../translation/glossary-lists.ts';
import type { Attendance } from '../attendance.ts';
import type { RoomContext, SpeechRequest } from '../room-types.ts';
import type { SpeechItem } from './speech-item.ts';

const VOICES_MS = 10_000;

/**
 * Creates what makes items of the speech queue from requests: with a voice, and text that it can read.
 *
 * @param noteVoice takes a voice and the language of a text that it is to speak
 */
export const createSpeechPreparation = (
  room: Pick<RoomContext, 'services' | 'platform' | 'channel' | 'texts' | 'now'>,
  { knownName }: Pick<Attendance, 'knownName'>,
  noteVoice: (voice: Voice, language: string) => void,
) => {
  const { services, platform, channel, texts, now } = room;

  /** Gives the mentions of a text the names that are known in the room. */
  const named = async (text: RichText): Promise<RichText> => {
    const byPlatform = await platform.feed?.named(channel(), text).catch(() => undefined);
    return map(byPlatform ?? text, (node) => {
      if (node.kind !== 'mention' || node.target !== 'member') return node;
      const name = knownName(node.id);
      return name === undefined ? node : { ...node, name };
    });
  };
  const dictionaryOf = async (text: RichText, language: string) => {
    const { terms } = await services.glossary.inText(channel(), toFlatText(text).text);
    return termsFor(terms, language).forced.map(({ term, translation }) => ({
      term,
      spoken: translation ?? term,
    }));
  };
  /** The text as a voice of that language reads it. */
  const spokenOf = async (text: RichText, language: string | undefined): Promise<string> => {
    const spoken = await named(text);
    return speakable(spoken, {
      ...(language === undefined
        ? {}
        : { locale: language, dictionary: await dictionaryOf(spoken, language) }),
      words: texts.spokenWords(language),
      nowMs: now(),
    });
  };

  /** Resolves with the item of a request; with undefined when there is nothing to speak. */
  return async ({
    text,
    kind,
    by,
    voice: asked,
  }: SpeechRequest): Promise<SpeechItem | undefined> => {
    const { space } = channel();
    const own = by && (await services.settings.of({ platform: space.platform, id: by.id }));
    const isOwn = by !== undefined && kind !== 'answer';
    const writer = isOwn
      ? {
          author: { platform: space.platform, id: by.id },
          channel: channel(),
          chosen: own?.language,
        }
      : undefined;
    const textLanguage = services.languages.detect(languageText(text), writer)?.language;
    const guesses = [own?.language, texts.locale];
    const fits = await firstThatFits(
      voicePreferences({
        asked,
        // An answer has the bot's voice, whoever asked.
        own: kind === 'answer' ? undefined : own?.voiceId,
        textLanguage,
        guesses,
      }),
      space,
      services.speaker,
      AbortSignal.timeout(VOICES_MS),
    );
    const [voice] = fits.voices;
    if (voice && textLanguage !== undefined && asked?.language === undefined)
      noteVoice(voice, textLanguage);
    const language = readingLanguage(
      voice,
      fits.preference.language ?? textLanguage ?? guesses.find((guess) => guess !== undefined),
    );
    const spoken = await spokenOf(text, language);
    if (spoken === '') return undefined;
    return {
      id: randomUUID(),
      kind,
      ...(by ? { by } : {}),
      text: spoken,
      voice: fits.preference,
      ...(language === undefined ? {} : { readAs: language }),
    };
  };
};
