import { z } from 'zod';
import { defineCommand, richText, type CommandContext } from '../src/command/command.ts';
import type { Room, VoicePreference } from '../src/command/services.ts';
import {
  completeLanguage,
  completeVoice,
  firstThatFits,
  isBlankMessage,
  languageText,
  markSynthetic,
  typedLanguage,
  sharedRoom,
  voicePreferences,
  voiceSpeaks,
  voiceText,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { lines } from '../src/rich-text/compose.ts';
import { channelMention } from '../src/model/place.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';
import { plainText } from '../src/rich-text/walk.ts';

const LONGEST_TEXT_CHARS = 10_000;
/** The formats in order of preference: the one that plays everywhere, then the smaller ones. */
const PREFERRED: readonly AudioFormat[] = ['mp3', 'ogg', 'flac', 'wav', 'pcm'];
/** No voice speaks faster. */
const MOST_CHARS_PER_SECOND = 40;
const BYTES_PER_SAMPLE = 2;

type Voices = Awaited<ReturnType<CommandContext<unknown>['services']['speaker']['voices']>>;

/** The bytes that speech takes at least; known beforehand for uncompressed formats only. */
const leastBytesOf = (text: RichText, format: AudioFormat | undefined, voices: Voices): number => {
  if (format !== 'wav' && format !== 'pcm') return 0;
  const rates = voices.flatMap((voice) => voice.sample_rates);
  const lowestHz = rates.length > 0 ? Math.min(...rates) : 0;
  const letters = plainText(text).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return (letters / MOST_CHARS_PER_SECOND) * lowestHz * BYTES_PER_SAMPLE;
};

const OPTIONS = z.object({
  text: richText({ max: LONGEST_TEXT_CHARS }),
  language: z.string().optional(),
  voice: z.string().optional(),
  gender: z.enum(['Female', 'Male', 'Neutral']).optional(),
  format: z.enum(AUDIO_FORMATS).optional(),
});
type Context = CommandContext<z.infer<typeof OPTIONS>>;

/** Says it in the room that the asker is in with us; a message under the name of its author. */
const sayIn = async (
  room: Room,
  { options, services, member, channel, on, t, signal, reply }: Context,
): Promise<void> => {
  const { text, language, voice, gender } = options;
  const given: VoicePreference = voice
    ? { named: voice }
    : { language: language && typedLanguage(language, services), gender };
  const preference = voice || language || gender ? given : undefined;
  if (preference && (await services.speaker.voices(preference, channel.space, signal)).length === 0)
    throw userError('missing', 'speech.no-voice');
  const by = on?.author ?? member;
  const willBeSaid = await room.say({ text, kind: 'say', by, voice: preference });
  if (!willBeSaid) throw userError('bad-input', 'speech.nothing-to-say');
  await reply({ text: t('say.in-room', { channel: channelMention(room.channel) }) });
};

/** The note that another voice than the member's own speaks, or one of another language. */
const voiceNote = async (
  voice: Voices[number],
  { own, textLanguage }: Readonly<Record<'own' | 'textLanguage', string | undefined>>,
  { services, channel, signal, t }: Context,
): Promise<RichText | false> => {
  const params = textLanguage !== undefined && { language: { language: textLanguage } };
  if (params && !voiceSpeaks(voice, textLanguage)) return t('say.foreign-voice', params);
  if (own === undefined || voice.id === own) return false;
  const isThere = (await services.speaker.voices({ named: own }, channel.space, signal)).length > 0;
  return isThere && params ? t('say.other-voice', params) : t('say.voice-gone');
};

export default defineCommand(
  'say',
  {
    options: OPTIONS,
    complete: { language: completeLanguage, voice: completeVoice },
    slow: true,
    onMessage: ({ text }) => {
      if (isBlankMessage(text)) throw userError('bad-input', 'say.nothing-in-message');
      return { text };
    },
    async run(ctx) {
      const { options, services, member, channel, on, t, signal, reply, capabilities } = ctx;
      const { text, format, gender } = options;
      const room = format === undefined ? sharedRoom(ctx) : undefined;
      if (room) return sayIn(room, ctx);
      const mine = await services.settings.of(member);
      const told = options.language && typedLanguage(options.language, services);
      const author = { platform: channel.space.platform, id: (on?.author ?? member).id };
      const writer = { author, channel, chosen: on ? undefined : mine.language };
      const textLanguage = services.languages.detect(languageText(text), writer)?.language;
      const guesses = [mine.language, services.languages.find(member.locale)];
      const preferences = voicePreferences({
        asked: { named: options.voice, language: told, gender },
        own: mine.voiceId,
        textLanguage,
        guesses,
      });
      const { preference, voices } = await firstThatFits(
        preferences,
        channel.space,
        services.speaker,
        signal,
      );
      const readAs = told ?? textLanguage ?? guesses.find((guess) => guess !== undefined);
      const own = preferences[0]?.named !== undefined && !options.voice ? mine.voiceId : undefined;
      const keepTo = (sizeBytes: number): void => {
        if (sizeBytes > capabilities.fileBytes) throw userError('too-large', 'say.too-large');
      };
      keepTo(leastBytesOf(text, format, voices));
      const speech = await services.speaker.speak(
        {
          text,
          readAs,
          ...preference,
          formats: format ? [format] : PREFERRED,
          lane: 'interactive',
          space: channel.space,
        },
        signal,
      );
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of speech.chunks) {
        sizeBytes += chunk.byteLength;
        keepTo(sizeBytes);
        chunks.push(chunk);
      }
      const bytes = markSynthetic(speech.format, Buffer.concat(chunks));
      keepTo(bytes.length);
      const spokenBy = t('say.spoken-by', { voice: voiceText(speech.voice) });
      const note = await voiceNote(
        speech.voice,
        { own, textLanguage: told ? undefined : textLanguage },
        ctx,
      );
      await reply({
        text: lines(spokenBy, note),
        files: [
          {
            name: `speech.${speech.format}`,
            mediaType: speech.mediaType,
            bytes,
          },
        ],
      });
    },
  },
  { topic: 'speech' },
);
