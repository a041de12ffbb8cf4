/** An ability that no engine of the built-in service has. */
export type MissingAbility =
  | { readonly ability: 'speech' | 'diarisation' | 'chat' }
  | {
      readonly ability: 'recognition';
      /** Code of the language that is not recognised, where others are. */
      readonly language?: string;
    }
  | {
      readonly ability: 'translation';
      readonly from: string;
      readonly to: string;
      /** Codes of the languages from which engines translate into `to`. */
      readonly sources: readonly string[];
    };

/** A missing ability, and the remedies that would add an engine for it. */
export type MissingEngine = MissingAbility & {
  /** Remedies, each a clause to be followed literally: `set X`, `apt-get install -y Y`. */
  readonly remedies: readonly string[];
};

const SENTENCES = {
  speech: 'No engine speaks.',
  recognition: 'No engine recognises speech.',
  diarisation: 'No engine tells speakers apart.',
  chat: 'No engine chats.',
} as const;

const BETWEEN_REMEDIES = ', or ';
const PAIR =
  /^No engine translates (?<from>[\w-]+) to (?<to>[\w-]+)(?:, only from (?<sources>[\w-]+(?:, [\w-]+)*))?\.$/;
const OF_LANGUAGE = /^No engine recognises (?<language>[\w-]+)\.$/;
const SHAPE = /^(?<sentence>No engine [^.]+\.)(?: Add one: (?<remedies>.+)\.)?$/;

const sentenceOf = (missing: MissingEngine): string => {
  if (missing.ability === 'recognition' && missing.language !== undefined)
    return `No engine recognises ${missing.language}.`;
  if (missing.ability !== 'translation') return SENTENCES[missing.ability];
  const { from, to, sources } = missing;
  const only = sources.length > 0 ? `, only from ${sources.join(', ')}` : '';
  return `No engine translates ${from} to ${to}${only}.`;
};

/** The missing engine in English, as in the service's error. */
export const missingEngineText = (missing: MissingEngine): string => {
  const what = sentenceOf(missing);
  const { remedies } = missing;
  return remedies.length > 0 ? `${what} Add one: ${remedies.join(BETWEEN_REMEDIES)}.` : what;
};

/** Parses a missing engine from an error's text; undefined for any other text. */
export const parseMissingEngine = (text: string): MissingEngine | undefined => {
  const { sentence = '', remedies: listed } = SHAPE.exec(text)?.groups ?? {};
  const remedies = listed?.split(BETWEEN_REMEDIES) ?? [];
  const { from, to, sources } = PAIR.exec(sentence)?.groups ?? {};
  if (from !== undefined && to !== undefined)
    return { ability: 'translation', from, to, sources: sources?.split(', ') ?? [], remedies };
  const ability = (['speech', 'recognition', 'diarisation', 'chat'] as const).find(
    (each) => SENTENCES[each] === sentence,
  );
  if (ability) return { ability, remedies };
  const { language } = OF_LANGUAGE.exec(sentence)?.groups ?? {};
  return language === undefined ? undefined : { ability: 'recognition', language, remedies };
};
