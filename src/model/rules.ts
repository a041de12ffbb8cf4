/** The types of messages, of which each message has one: the last that applies. */
export const MESSAGE_TYPES = ['text', 'links', 'files', 'recordings', 'forwards', 'polls'] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The properties of messages that rules are about: authors, their roles, words and beginnings of texts, types of messages. */
export const RULED = ['people', 'roles', 'words', 'beginnings', 'types'] as const;

export type Ruled = (typeof RULED)[number];

/** A rule leaves out what has one of its values, or with `only` all else. Without values it says nothing. */
export interface Rule {
  readonly only?: true | undefined;
  /** Ids of people or roles, words or beginnings as they were typed, or types. */
  readonly of: readonly string[];
}

/** The form in which a translation addresses people, in languages that have both. */
export const FORMALITIES = ['formal', 'informal'] as const;

export type Formality = (typeof FORMALITIES)[number];

/** Bounds of the values of a rule, and of each of them. */
export const RULE_VALUES = 50;
export const RULE_VALUE_CHARS = 100;

/**
 * The rules of which messages are translated automatically, and how, and of the language of readers; without any, all are, in
 * the usual way.
 */
export interface WatchRules extends Readonly<Partial<Record<Ruled, Rule | undefined>>> {
  /** The shortest text that is translated, in code points without links and mentions. */
  readonly shortest?: number | undefined;
  /** Languages that everybody understands: what is written in them stays as it is. */
  readonly languages?: readonly string[] | undefined;
  /** The engine that is asked first; another one translates where it cannot. Empty: the usual one. */
  readonly engine?: string | undefined;
  /** The form of address, for engines that can choose one. Empty: as the engine does. */
  readonly formality?: Formality | '' | undefined;
  /** The language of readers who chose none, and of notices in the channel. Empty: that of each reader's app. */
  readonly reading?: string | undefined;
}

/** True of a rule that is absent or says nothing. */
export const saysNothing = (rule: WatchRules[keyof WatchRules]): boolean =>
  !rule || (typeof rule === 'object' && ('of' in rule ? rule.of : rule).length === 0);
