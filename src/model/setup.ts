/** The forms of what the wizard makes: for each language a channel or a thread, with a role or without. */
export const SETUP_FORMS = [
  'channels',
  'channels-roles',
  'channels-hidden',
  'threads',
  'threads-roles',
] as const;

/** `channels-hidden`: only who has the role of its language sees a channel. */
export type SetupForm = (typeof SETUP_FORMS)[number];

/** The choices of a moderator in the wizard so far. */
export interface SetupChoices {
  /** Ids of the channels that are to be linked with one for each language. */
  readonly channels: readonly string[];
  /** The language that people write in them, where they are linked with none yet. */
  readonly from: string;
  readonly languages: readonly string[];
  readonly form: SetupForm;
}

/** One thing to make. `key` is unique within a set-up. */
export type SetupStep = { readonly key: string; readonly name: string } & (
  | { readonly kind: 'role'; readonly language: string }
  | { readonly kind: 'category'; readonly source: string }
  | { readonly kind: 'channel' | 'thread'; readonly source: string; readonly language: string }
);

/** The work on a set-up, from the moment when its making began. */
export interface SetupWork {
  /** ms since 1970; nothing of it was made before. */
  readonly sinceMs: number;
  /** The time until which nobody else works on it, ms since 1970. */
  readonly busyUntilMs: number;
  readonly steps: readonly SetupStep[];
  /** Ids of what was made, by the keys of the steps. */
  readonly made: Readonly<Record<string, string>>;
  /** Ids of those that were found without an answer, and that somebody else may have made. */
  readonly adopted?: readonly string[];
}

export interface Setup {
  readonly id: string;
  readonly choices: SetupChoices;
  /** Undefined while it is being chosen. */
  readonly work?: SetupWork;
}

export const withRoles = ({ form }: SetupChoices): boolean =>
  form.endsWith('-roles') || isHidden(form);

const isHidden = (form: SetupForm): boolean => form === 'channels-hidden';

export const hidesChannels = ({ form }: SetupChoices): boolean => isHidden(form);

export const placeKind = ({ form }: SetupChoices): 'channel' | 'thread' =>
  form.startsWith('threads') ? 'thread' : 'channel';
