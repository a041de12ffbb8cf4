/** An ability that no engine of the built-in service has, and the remedies that would add one. */
export type MissingEngine = {
  /** Remedies, each a clause to be followed literally: `set X`, `apt-get install -y Y`. */
  readonly remedies: readonly string[];
} & (
  | { readonly ability: 'speech' | 'recognition' | 'chat' }
  | { readonly ability: 'translation'; readonly from: string; readonly to: string }
);

const SENTENCES = {
  speech: 'No engine speaks.',
  recognition: 'No engine recognises speech.',
  chat: 'No engine chats.',
} as const;

const BETWEEN_REMEDIES = ', or ';
const PAIR = /^No engine translates (?<from>[\w-]+) to (?<to>[\w-]+)\.$/;
const SHAPE = /^(?<sentence>No engine [^.]+\.)(?: Add one: (?<remedies>.+)\.)?$/;

/** The missing engine in English, as in the service's error. */
export const missingEngineText = (missing: MissingEngine): string => {
  const what =
    missing.ability === 'translation'
      ? `No engine translates ${missing.from} to ${missing.to}.`
      : SENTENCES[missing.ability];
  const { remedies } = missing;
  return remedies.length > 0 ? `${what} Add one: ${remedies.join(BETWEEN_REMEDIES)}.` : what;
};

/** Parses a missing engine from an error's text; undefined for any other text. */
export const parseMissingEngine = (text: string): MissingEngine | undefined => {
  const { sentence = '', remedies: listed } = SHAPE.exec(text)?.groups ?? {};
  const remedies = listed?.split(BETWEEN_REMEDIES) ?? [];
  const { from, to } = PAIR.exec(sentence)?.groups ?? {};
  if (from !== undefined && to !== undefined) return { ability: 'translation', from, to, remedies };
  const ability = (['speech', 'recognition', 'chat'] as const).find(
    (each) => SENTENCES[each] === sentence,
  );
  return ability && { ability, remedies };
};
