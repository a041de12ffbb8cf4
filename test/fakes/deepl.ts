import { startBackEnd, type BackEndReply, type BackEndRequest } from './back-end.ts';

/** Codes as DeepL listed them in 2026; English and Portuguese are targets only by their kinds. */
const COMMON =
  'AR BG CS DA DE EL ES ET FI FR HE HU ID IT JA KO LT LV NB NL PL RO RU SK SL SV TH TR UK VI ZH';
const SOURCES = `${COMMON} EN PT`.split(' ');
const TARGETS = `${COMMON} EN-GB EN-US ES-419 PT-BR PT-PT ZH-HANS ZH-HANT`.split(' ');

const MOST_BYTES = 128 * 1024;
const MOST_TEXTS = 50;

export interface FakeDeepLOptions {
  /** Characters that the account may use in all. */
  readonly characterLimit?: number;
  readonly glossaries?: readonly {
    readonly glossary_id: string;
    readonly name: string;
    readonly dictionaries: readonly {
      readonly source_lang: string;
      readonly target_lang: string;
    }[];
  }[];
  /** Translates XML without its tags. Default: in capitals. */
  readonly translate?: (text: string) => string;
}

const message = (status: number, text: string): BackEndReply => ({
  status,
  json: { message: text },
});
const TAG = /(<[^>]*>)/u;

/** The tags in a reply stand around the translations of what they stood around; content of `var` stays. */
const translateXml = (xml: string, translate: (text: string) => string): string => {
  let isKept = false;
  return xml
    .split(TAG)
    .map((part) => {
      if (TAG.test(part)) {
        isKept = part === '<var>';
        return part;
      }
      return isKept
        ? part
        : translate(part).replaceAll(/&\w+;/giu, (entity) => entity.toLowerCase());
    })
    .join('');
};

/** The limits and errors of DeepL's API, version 2 and 3 of glossaries. */
export const startFakeDeepL = async (key: string, options: FakeDeepLOptions = {}) => {
  const {
    characterLimit = 500_000,
    glossaries = [],
    translate = (text) => text.toUpperCase(),
  } = options;
  let used = 0;

  const answerTranslation = ({ body, bytes }: BackEndRequest): BackEndReply => {
    if (bytes > MOST_BYTES) return message(413, 'The request size exceeds the limit.');
    const { text, source_lang: source, target_lang: target, glossary_id: glossary } = body;
    if (!Array.isArray(text) || text.length === 0) return message(400, 'Bad request. Reason: text');
    if (text.length > MOST_TEXTS) return message(400, 'Too many texts');
    if (!TARGETS.includes(String(target)))
      return message(400, "Value for 'target_lang' not supported.");
    if (typeof source === 'string' && !SOURCES.includes(source))
      return message(400, "Value for 'source_lang' not supported.");
    if (glossary !== undefined && !glossaries.some((each) => each.glossary_id === glossary))
      return message(404, 'Glossary not found');
    const texts = text.map(String);
    const characters = texts.join('').replaceAll(new RegExp(TAG, 'gu'), '').length;
    if (used + characters > characterLimit) return message(456, 'Quota Exceeded');
    used += characters;
    return {
      json: {
        translations: texts.map((each) => ({
          detected_source_language: source,
          text: translateXml(each, translate),
        })),
      },
    };
  };

  return startBackEnd((request) => {
    if (request.authorization !== `DeepL-Auth-Key ${key}`)
      return message(403, `Authorization failed for ${String(request.authorization)}`);
    const list = (codes: readonly string[]) => ({
      json: codes.map((language) => ({ language, name: language, supports_formality: false })),
    });
    switch (request.path) {
      case '/v2/languages?type=source':
        return list(SOURCES);
      case '/v2/languages?type=target':
        return list(TARGETS);
      case '/v2/usage':
        return { json: { character_count: used, character_limit: characterLimit } };
      case '/v3/glossaries':
        return { json: { glossaries } };
      case '/v2/translate':
        return answerTranslation(request);
      default:
        return message(404, 'Not found');
    }
  });
};
