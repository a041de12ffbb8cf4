import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { KEY_PREFIX, SERVICE_LIMITS } from '../src/api/contract.ts';
import { httpUrl, port } from '../src/config.ts';
import { type AllowanceRate, parseRate, RATE_FORM, rateText } from './allowance.ts';

export const ABILITIES = ['chat', 'translation', 'recognition', 'speech'] as const;

/** A kind of work that engines do, and that is paid for. */
export type Ability = (typeof ABILITIES)[number];

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Default languages of a voice without configured ones: those that models of that API mostly speak. */
const MANY_LANGUAGES =
  'English, Spanish, French, German, Italian, Portuguese, Dutch, Polish, Russian, Turkish, Arabic, Hindi, Japanese, Chinese, Korean';

/** Voices, each as `name`, `name:language` or `name:language:gender`. */
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

/** Order of engines for an ability, and for a language pair of translation where it has one. */
export interface EngineOrder {
  readonly ability: Ability;
  readonly from?: string;
  readonly to?: string;
  /** Names of engines, best first; others come after them. */
  readonly engines: readonly string[];
}

const ORDER = /^(?<ability>[a-z]+)(?::(?<from>[\w-]+):(?<to>[\w-]+))?=(?<engines>[\w.>-]+)$/;

/** Orders, each as `ability=engine>engine` or `translation:from:to=engine>engine`. */
const engineOrders = list.transform((items, ctx) =>
  items.flatMap((item): EngineOrder[] => {
    const { ability = '', from, to, engines = '' } = ORDER.exec(item)?.groups ?? {};
    const known = ABILITIES.find((one) => one === ability);
    if (known && (from === undefined || known === 'translation'))
      return [
        {
          ability: known,
          ...(from === undefined || to === undefined ? {} : { from, to }),
          engines: engines.split('>'),
        },
      ];
    ctx.addIssue({
      code: 'custom',
      message: `must be like recognition=sherpa-onnx>openai,translation:en:es=apertium>openai (${ABILITIES.join(', ')})`,
    });
    return [];
  }),
);

/** Calls that an engine gets at most, for all its abilities or for one. */
export interface EngineRate {
  readonly engine: string;
  readonly ability?: Ability;
  readonly rate: AllowanceRate;
}

/** Rates, each as `engine=rate` or `engine:ability=rate`. */
const engineRates = list.transform((items, ctx) =>
  items.flatMap((item): EngineRate[] => {
    const [names = '', text = ''] = item.split('=');
    const [engine = '', named] = names.split(':');
    const ability = ABILITIES.find((one) => one === named);
    const rate = parseRate(text);
    if (rate && (named === undefined || ability))
      return [{ engine, rate, ...(ability ? { ability } : {}) }];
    ctx.addIssue({
      code: 'custom',
      message: `must be like openai=5/s,openai:recognition=30/min (${ABILITIES.join(', ')}); each rate ${RATE_FORM}`,
    });
    return [];
  }),
);

const words = (about: string) => z.string().optional().describe(about);
const address = (about: string) => httpUrl.optional().describe(about);

/** Variables of a server of its own for one ability. */
const ownServer = <N extends string>(name: N, what: string) =>
  ({
    [`SERVICE_OPENAI_${name}_URL`]: address(
      `Base URL of an OpenAI-compatible server for ${what} alone.`,
    ),
    [`SERVICE_OPENAI_${name}_KEY`]: words(
      `API key for ${what}. Default: SERVICE_OPENAI_KEY, for the same host.`,
    ),
  }) as Record<`SERVICE_OPENAI_${N}_URL` | `SERVICE_OPENAI_${N}_KEY`, z.ZodOptional<z.ZodString>>;

/** Variables of the built-in service's engines, wherever it runs. */
export const engineSection = z.object({
  SERVICE_OPENAI_URL: address('Base URL of an OpenAI-compatible server, with or without /v1.'),
  SERVICE_OPENAI_KEY: words('API key of that server.'),
  ...ownServer('CHAT', 'chat'),
  ...ownServer('TRANSLATION', 'translation'),
  ...ownServer('ASR', 'speech recognition'),
  ...ownServer('TTS', 'text-to-speech'),
  SERVICE_OPENAI_CHAT_MODEL: words(
    'Chat model. Default: the first model that is for nothing else.',
  ),
  SERVICE_OPENAI_TRANSLATION_MODEL: words('Translation model. Default: the chat model.'),
  SERVICE_OPENAI_ASR_MODEL: words(
    'Speech recognition model. Default: found by name, such as whisper-1.',
  ),
  SERVICE_OPENAI_TTS_MODEL: words('Text-to-speech model. Default: found by name, such as tts-1.'),
  SERVICE_OPENAI_TTS_VOICES: speechVoices
    .default([{ name: 'alloy', language: MANY_LANGUAGES, gender: 'Neutral' }])
    .describe('Voices: name[:language[:gender]], separated by commas.'),
  SERVICE_LIBRETRANSLATE_URL: address('Base URL of a LibreTranslate server.'),
  SERVICE_LIBRETRANSLATE_KEY: words('API key of that server.'),
  SERVICE_DEEPL_KEY: words('API key of DeepL.'),
  SERVICE_DEEPL_URL: address('Base URL of DeepL’s API. Default: that of the plan of the key.'),
  SERVICE_DEEPL_FORMALITY: z
    .enum(['prefer_more', 'prefer_less'])
    .optional()
    .describe(
      'How DeepL addresses people, in languages that have both: prefer_more or prefer_less.',
    ),
  SERVICE_DEEPL_GLOSSARY: words(
    'Name or ID of a glossary at DeepL, for the language pairs that it has.',
  ),
  SERVICE_ENGINE_ORDER: engineOrders
    .default([])
    .describe('Order of engines: ability=engine>engine or translation:from:to=engine>engine.'),
  SERVICE_ENGINE_RATES: engineRates
    .default([])
    .describe('Most calls of engines: engine=rate or engine:ability=rate, such as openai=5/s.'),
  SERVICE_MODELS: z
    .string()
    .default('models')
    .describe('Folder of the models that `npm run setup` installs.'),
  SERVICE_MODELS_CATALOGUE: words(
    'File with the models that can be installed by name. Default: the project’s own.',
  ),
  SERVICE_MODELS_MIRROR: z
    .string()
    .transform((text) => (/^(?:https?|file):/i.test(text) ? text : pathToFileURL(text).href))
    .pipe(z.url('must be an address or a folder'))
    .optional()
    .describe(
      'Base URL of a mirror, or a folder, to fetch models from, in place of the hosts of their addresses.',
    ),
  SERVICE_SHERPA_MODEL: words('Folder of a sherpa-onnx speech recognition model.'),
  SERVICE_LLAMA_CONTEXT: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(512, 'must be at least 512')
    .default(4_096)
    .describe(
      'Most tokens of a conversation with an installed language model; its model may take fewer.',
    ),
  SERVICE_APERTIUM_MODES: z
    .string()
    .default('/usr/share/apertium/modes')
    .describe('Folder with the .mode files of the installed Apertium language pairs.'),
  DRAGOMAN_IMAGE: z
    .stringbool()
    .default(false)
    .describe('Set by the image, so that advice fits it.'),
  SERVICE_TTS_TEXT_LIMIT: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .positive('must be at least 1')
    .default(SERVICE_LIMITS.ttsTextCodePoints)
    .describe('Longest text for text-to-speech, in Unicode characters.'),
});
export type EngineConfig = z.infer<typeof engineSection>;

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Variables of the service when it runs on its own. */
export const serverSection = z.object({
  SERVICE_HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  SERVICE_PORT: port.default(8090).describe('Port to listen on.'),
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
    .describe('Accepted API keys, separated by commas. Each begins with svck:.'),
  SERVICE_BROWSER_ORIGINS: list
    .pipe(
      z.array(
        z
          .string()
          .refine(
            isOrigin,
            'each must be as browsers send it, such as https://kiosk.example or http://10.0.0.5:8081: lower case, no path, no slash at the end, no *',
          ),
      ),
    )
    .optional()
    .describe('Origins whose pages may use the service from a browser, separated by commas.'),
  SERVICE_DATABASE: z
    .string()
    .default('data/service.db')
    .describe('File of the keys that `npm run service -- keys create` makes.'),
  SERVICE_PRICES: words('File with the prices that these keys pay. Default: the project’s own.'),
  SERVICE_KEY_RATE: rateText
    .optional()
    .describe('Most requests with one key, such as 5/s or 5/s:10 for 10 at once. Default: any.'),
  SERVICE_ASR_RATE: rateText
    .optional()
    .describe('Most requests for speech recognition with one key. Default: any.'),
});
