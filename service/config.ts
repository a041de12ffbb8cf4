import { z } from 'zod';
import { KEY_PREFIX, SERVICE_LIMITS } from '../src/api/contract.ts';
import { httpUrl, port } from '../src/config.ts';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** The languages of a voice that nobody described: those that models of that API mostly speak. */
const MANY_LANGUAGES =
  'English, Spanish, French, German, Italian, Portuguese, Dutch, Polish, Russian, Turkish, Arabic, Hindi, Japanese, Chinese, Korean';

/** `name`, `name:language` or `name:language:gender`. */
const speechVoices = list.transform((items, ctx) =>
  items.map((item) => {
    const [name = '', language = MANY_LANGUAGES, gender = 'Neutral'] = item.split(':');
    if (name === '' || !['Male', 'Female', 'Neutral'].includes(gender))
      ctx.addIssue({
        code: 'custom',
        message: 'must be like alloy,nova:English:Female (gender: Male, Female or Neutral)',
      });
    return { name, language, gender };
  }),
);

/** The engines of the built-in service, wherever it runs. */
export const engineSection = z.object({
  SERVICE_OPENAI_URL: httpUrl
    .optional()
    .describe('Base address of an OpenAI-compatible server, with or without /v1.'),
  SERVICE_OPENAI_KEY: z.string().optional().describe('The key that this server wants.'),
  SERVICE_OPENAI_CHAT_MODEL: z
    .string()
    .optional()
    .describe('Its model for chat. Default: the first of its models that is for nothing else.'),
  SERVICE_OPENAI_TRANSLATION_MODEL: z
    .string()
    .optional()
    .describe('Its model for translation. Default: the chat model.'),
  SERVICE_OPENAI_ASR_MODEL: z
    .string()
    .optional()
    .describe('Its model for transcription. Default: found by its name, e.g. whisper-1.'),
  SERVICE_OPENAI_TTS_MODEL: z
    .string()
    .optional()
    .describe('Its model for speech. Default: found by its name, e.g. tts-1.'),
  SERVICE_OPENAI_TTS_VOICES: speechVoices
    .default([{ name: 'alloy', language: MANY_LANGUAGES, gender: 'Neutral' }])
    .describe('Its voices: name[:language[:gender]], separated by commas.'),
  SERVICE_SHERPA_MODEL: z
    .string()
    .optional()
    .describe('Folder of a sherpa-onnx speech recognition model.'),
  SERVICE_APERTIUM_MODES: z
    .string()
    .default('/usr/share/apertium/modes')
    .describe('Folder of the .mode files of the installed Apertium language pairs.'),
  SERVICE_TTS_TEXT_LIMIT: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .positive('must be at least 1')
    .default(SERVICE_LIMITS.ttsTextCodePoints)
    .describe('The longest text that is spoken, in Unicode characters.'),
});
export type EngineConfig = z.infer<typeof engineSection>;

/** The address at which the service listens when it runs alone. */
export const serverSection = z.object({
  SERVICE_HOST: z.string().default('127.0.0.1').describe('Address that the service listens on.'),
  SERVICE_PORT: port.default(8090).describe('Port that the service listens on.'),
  SERVICE_KEYS: list
    .pipe(
      z.array(
        z
          .string()
          .startsWith(KEY_PREFIX, `each key must begin with ${KEY_PREFIX}`)
          .min(KEY_PREFIX.length + 16, `each key needs 16 characters after ${KEY_PREFIX}`)
          .regex(/^\S+$/, 'a key must not contain spaces'),
      ),
    )
    .optional()
    .describe('Keys that are let in, separated by commas; each begins with svck:.'),
});
