/** What no engine of the built-in service can do, and what would add one that can. */
export type MissingEngine = {
  /** A clause each, to be followed as it stands: `set X`, `apt-get install -y Y`. */
  readonly remedies: readonly string[];
} & (
  | { readonly ability: 'speech' | 'recognition' | 'chat' }
  | { readonly ability: 'translation'; readonly from: string; readonly to: string }
);

const LACKS = {
  speech: 'No engine speaks.',
  recognition: 'No engine recognises speech.',
  chat: 'No engine chats.',
} as const;

const BETWEEN_REMEDIES = ', or ';
const PAIR = /^No engine translates (?<from>[\w-]+) to (?<to>[\w-]+)\.$/;
const SHAPE = /^(?<lack>No engine [^.]+\.)(?: Add one: (?<remedies>.+)\.)?$/;

/** The lack in English, as the service's error says it. */
export const missingEngineText = (lack: MissingEngine): string => {
  const what =
    lack.ability === 'translation'
      ? `No engine translates ${lack.from} to ${lack.to}.`
      : LACKS[lack.ability];
  const { remedies } = lack;
  return remedies.length > 0 ? `${what} Add one: ${remedies.join(BETWEEN_REMEDIES)}.` : what;
};

/** The lack that an error's text tells of; undefined where it says anything else. */
export const parseMissingEngine = (text: string): MissingEngine | undefined => {
  const { lack = '', remedies: listed } = SHAPE.exec(text)?.groups ?? {};
  const remedies = listed?.split(BETWEEN_REMEDIES) ?? [];
  const { from, to } = PAIR.exec(lack)?.groups ?? {};
  if (from !== undefined && to !== undefined) return { ability: 'translation', from, to, remedies };
  const ability = (['speech', 'recognition', 'chat'] as const).find((each) => LACKS[each] === lack);
  return ability && { ability, remedies };
};
