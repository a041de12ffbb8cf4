import type { Author, Message } from '../model/message.ts';
import type { MessageType, Rule, Ruled, WatchRules } from '../model/rules.ts';
import { usedLanguages, type ChannelWatch, type SpaceChoices } from '../model/space.ts';
import { plainText } from '../rich-text/walk.ts';
import { languageText } from '../text/message-checks.ts';
import { findOccurrences, type Term } from '../text/protect/terms.ts';
import { countCodePoints } from '../text/unicode.ts';

/** The rules of a channel: each of its own goes before that of its space, but that both leave out people. */
export const rulesOf = (
  { choices: { rules: own = {} } = {} }: Pick<ChannelWatch, 'choices'>,
  { rules }: Pick<SpaceChoices, 'rules'>,
): WatchRules => {
  const [all, here] = [rules.people, own.people];
  const isBoth = all && !all.only && here && !here.only && here.of.length > 0;
  return { ...rules, ...own, ...(isBoth && { people: { of: [...all.of, ...here.of] } }) };
};

/** The language of notices in a channel: that of its readers, else the first one that it is translated into. */
export const noticeLanguage = (
  watch: ChannelWatch | undefined,
  choices: Pick<SpaceChoices, 'rules'>,
): string => rulesOf(watch ?? {}, choices).reading || (watch && usedLanguages(watch)[0]) || 'en';

/** The languages that a channel is known to read, the first one before the others. */
export const readersLanguages = (
  watch: ChannelWatch | undefined,
  choices: Pick<SpaceChoices, 'rules'>,
): readonly string[] => {
  const { reading } = rulesOf(watch ?? {}, choices);
  return [...(reading ? [reading] : []), ...(watch?.mode === 'mirror' ? watch.languages : [])];
};

const terms = new WeakMap<readonly string[], readonly Term[]>();

/** The words of a rule as terms, the same as long as the rule lasts: their index is kept with them. */
const termsOf = (words: readonly string[]): readonly Term[] => {
  const known = terms.get(words) ?? words.map((term) => ({ term }));
  terms.set(words, known);
  return known;
};

const folded = (text: string): string => text.normalize('NFC').trimStart().toLowerCase();

interface Judged extends Pick<Message, 'text'> {
  readonly author: Pick<Author, 'id' | 'roles'>;
  readonly type: MessageType;
}

/** The functions that tell whether a message has one of a rule's values; undefined where that is not known. */
const HAS: Readonly<
  Record<Ruled, (message: Judged, values: readonly string[]) => boolean | undefined>
> = {
  people: ({ author }, ids) => ids.includes(author.id),
  roles: ({ author }, ids) => author.roles?.some((role) => ids.includes(role)),
  words: ({ text }, words) => findOccurrences(plainText(text), termsOf(words)).length > 0,
  beginnings: ({ text }, beginnings) => {
    const written = folded(plainText(text));
    return beginnings.some((beginning) => written.startsWith(folded(beginning)));
  },
  types: ({ type }, types) => types.includes(type),
};

const leavesOut = (ruled: Ruled, rule: Rule | undefined, message: Judged): boolean => {
  if (!rule || rule.of.length === 0) return false;
  const has = HAS[ruled](message, rule.of);
  return has !== undefined && has !== (rule.only ?? false);
};

/** Finds the rule that leaves a message out; undefined where none does. */
export const ruledOut = (message: Judged, rules: WatchRules): Ruled | undefined =>
  (Object.keys(HAS) as Ruled[]).find((ruled) => leavesOut(ruled, rules[ruled], message));

/** True of a text with fewer code points than the shortest one that is translated. */
export const isTooShort = (
  { text }: Pick<Message, 'text'>,
  { shortest = 0 }: WatchRules,
): boolean => shortest > 0 && countCodePoints(languageText(text).trim()) < shortest;
