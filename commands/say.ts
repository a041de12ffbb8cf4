import { z } from 'zod';
import {
  completeLanguage,
  completeVoice,
  defineCommand,
  languageOf,
  userError,
} from '../src/command.ts';
import { AUDIO_FORMATS } from '../src/model.ts';

const LONGEST_TEXT_CHARS = 10_000;
const LARGEST_FILE_BYTES = 24 * 1_048_576;

export default defineCommand('say', {
  options: z.object({
    text: z.string().min(1).max(LONGEST_TEXT_CHARS),
    language: z.string().optional(),
    voice: z.string().optional(),
    gender: z.enum(['Female', 'Male', 'Neutral']).optional(),
    format: z.enum(AUDIO_FORMATS).optional(),
  }),
  complete: { language: completeLanguage, voice: completeVoice },
  slow: true,
  async run({ options, services, member, t, signal, reply }) {
    const { text, format, gender } = options;
    const mine = await services.settings.of(member);
    const told = options.language && languageOf(options.language, services);
    const language =
      told ??
      services.languages.detect(text)?.language ??
      mine.language ??
      services.languages.find(member.locale) ??
      'en';
    // One's own voice speaks what one did not ask somebody else to say.
    const named = options.voice ?? (told || gender ? undefined : mine.voiceId);
    const speech = await services.speaker.speak(
      {
        text,
        language,
        ...(named ? { named } : {}),
        ...(gender ? { gender } : {}),
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
    await reply({
      text: t('say.spoken-by', {
        voice: speech.voice.description || speech.voice.id,
        language: speech.voice.language,
      }),
      files: [
        {
          name: `speech.${speech.format}`,
          mediaType: speech.mediaType,
          bytes: Buffer.concat(chunks),
        },
      ],
    });
  },
});
