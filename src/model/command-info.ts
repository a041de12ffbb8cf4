import type { Member } from './place.ts';

export interface Choice {
  readonly value: string;
  /** The text that people see. */
  readonly label: string;
  /** Other words that people may type for it. */
  readonly also?: readonly string[];
  /** The choice exists only where that is. */
  readonly needs?: PlatformPart;
}

/** The topics of commands, in the order in which they are listed. */
export const TOPICS = ['translation', 'speech', 'channels', 'server', 'privacy', 'more'] as const;

export type Topic = (typeof TOPICS)[number];

/**
 * A part of a platform that a command or an option may be of no use without: watched channels, voice
 * rooms, threads in which replies stand, age-restricted channels.
 */
export const PLATFORM_PARTS = [
  'watch',
  'rooms',
  'reply-threads',
  'age-restrictions',
  'roles',
] as const;

export type PlatformPart = (typeof PLATFORM_PARTS)[number];

/** One option as an adapter registers it. */
export interface OptionInfo {
  readonly name: string;
  /** The name that people type, where that is another. */
  readonly typed?: string;
  readonly description: string;
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'attachment' | 'channel';
  readonly required: boolean;
  readonly choices?: readonly Choice[];
  /** The kind of channel that is needed. Default: any. */
  readonly only?: 'voice';
  /** True of a text with several values, separated by commas. */
  readonly several?: true;
  /** True of a text in the platform's markup. */
  readonly rich?: true;
  readonly autocompletes: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly needs?: PlatformPart;
}

/** A form with one field of text, which opens when a control is pressed. */
export interface FormInfo {
  /** The press, as it stands in `Control.press` before the colon. */
  readonly press: string;
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly maxChars: number;
}

/** One thing that people can type after the slash, in one locale. */
export interface CommandInfo {
  /** `translate`, or `glossary add`. */
  readonly name: string;
  /** The name that people type, where that is another. */
  readonly typed?: string;
  readonly summary: string;
  /** A short summary for the title of a form, where `summary` is too long for one. */
  readonly title?: string;
  /** The summary of the whole command, where the command has several actions. */
  readonly groupSummary?: string;
  /** Default: more. */
  readonly topic?: Topic;
  /** True for the action that the first word of its name, typed alone, runs too. */
  readonly alone?: true;
  readonly options: readonly OptionInfo[];
  readonly slow: boolean;
  readonly private: boolean;
  /** The name in the menu of messages; undefined where the command is not in there. */
  readonly menu?: string;
  /**
   * The part of a platform that the command needs: it is offered only where there is that, e.g. in
   * no direct message.
   */
  readonly needs?: PlatformPart;
  /** The private presses, as they stand in `Control.press` before the colon. */
  readonly privatePresses?: readonly string[];
  /** The presses that only moderators may do, in the same form. */
  readonly moderatorPresses?: readonly string[];
  /** The presses that begin with a form. */
  readonly forms?: readonly FormInfo[];
  /** True where only moderators may use it. */
  readonly moderators?: boolean;
}

const nameOf = (press: string): string | undefined => press.split(':', 1)[0];

/** Finds the form that a press begins with; undefined for most. */
export const formOfPress = (
  commands: readonly Pick<CommandInfo, 'forms'>[],
  press: string,
): FormInfo | undefined =>
  commands.flatMap(({ forms = [] }) => forms).find((form) => form.press === nameOf(press));

/** True where only the asker sees the answer: a private command, or one that is refused. */
export const isPrivateUse = (
  { private: isPrivate, moderators }: Pick<CommandInfo, 'private' | 'moderators'>,
  role: Member['role'],
): boolean => isPrivate || (moderators === true && role !== 'moderator');

/** True for a press whose answer only the presser sees: a private one, or one that is refused, which changes nothing for others. */
export const isPrivatePress = (
  commands: readonly Pick<CommandInfo, 'privatePresses' | 'moderatorPresses'>[],
  press: string,
  role: Member['role'],
): boolean =>
  commands.some(({ privatePresses = [], moderatorPresses = [] }) =>
    [...privatePresses, ...(role === 'moderator' ? [] : moderatorPresses)].includes(
      nameOf(press) ?? '',
    ),
  );

/**
 * The names by which people type commands and options: the same on every platform; the locale's own
 * words (`commands.<name>.name`, `options.names.<option>`); or, as in `under dragoman`, behind the one
 * command that the platform knows: `/dragoman translate`.
 */
export type Naming = 'plain' | 'local' | `under ${string}`;
