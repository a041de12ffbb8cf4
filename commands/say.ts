import { z } from 'zod';
import {
  completeLanguage,
  completeVoice,
  defineCommand,
  languageOf,
  plainLine,
  userError,
  type CommandContext,
  type VoiceWish,
} from '../src/command.ts';
import { AUDIO_FORMATS } from '../src/model.ts';

const LONGEST_TEXT_CHARS = 10_000;
const LARGEST_FILE_BYTES = 24 * 1_048_576;

/** The first wish that any voice fits; the last one where none does, for its error to be told. */
const firstThatFits = async (
  wishes: readonly VoiceWish[],
  { speaker }: CommandContext<unknown>['services'],
  signal: AbortSignal,
): Promise<VoiceWish> => {
  for (const wish of wishes) if ((await speaker.voices(wish, signal)).length > 0) return wish;
  return wishes.at(-1) ?? {};
};

export default defineCommand(
  'say',
  {
    options: z.object({
      text: z.string().min(1).max(LONGEST_TEXT_CHARS),
      language: z.string().optional(),
      voice: z.string().optional(),
      gender: z.enum(['Female', 'Male', 'Neutral']).optional(),
      format: z.enum(AUDIO_FORMATS).optional(),
    }),
    complete: { language: completeLanguage, voice: completeVoice },
    slow: true,
    onMessage: ({ text }) => {
      if (text.trim() === '') throw userError('bad-input', 'say.nothing-in-message');
      return { text };
    },
    async run({ options, services, member, t, signal, reply }) {
      const { text, format, gender } = options;
      const mine = await services.settings.of(member);
      const told = options.language && languageOf(options.language, services);
      // What is only guessed gives way to a language that somebody speaks.
      const languages = told
        ? [told]
        : [
            services.languages.detect(text)?.language,
            mine.language,
            services.languages.find(member.locale),
          ].filter((language) => language !== undefined);
      // One's own voice speaks what one did not ask somebody else to say.
      const own = told || gender || options.voice ? undefined : mine.voiceId;
      const ofGender = gender ? { gender } : {};
      const wishes: VoiceWish[] = options.voice
        ? [{ named: options.voice }]
        : [
            ...(own ? [{ named: own }] : []),
            ...languages.map((language) => ({ language, ...ofGender })),
            ...(told ? [] : [ofGender]),
          ];
      const wish = await firstThatFits(wishes, services, signal);
      const speech = await services.speaker.speak(
        {
          text,
          ...(languages[0] ? { readAs: languages[0] } : {}),
          ...wish,
          ...(format ? { formats: [format] } : {}),
        },
        signal,
      );
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of speech.chunks) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > LARGEST_FILE_BYTES) throw userError('too-large', 'say.too-large');
        chunks.push(chunk);
      }
      const spokenBy = t('say.spoken-by', {
        voice: plainLine(speech.voice.description || speech.voice.id),
        language: plainLine(speech.voice.language),
      });
      await reply({
        text: own && speech.voice.id !== own ? `${spokenBy}\n${t('say.voice-gone')}` : spokenBy,
        files: [
          {
            name: `speech.${speech.format}`,
            mediaType: speech.mediaType,
            bytes: Buffer.concat(chunks),
          },
        ],
      });
    },
  },
  { topic: 'speech' },
);
