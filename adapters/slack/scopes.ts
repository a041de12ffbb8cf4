import type { WatchMode } from '../../src/model/space.ts';
import type { Installed } from './install/installations.ts';

/** The bot's scopes, each with what it is for (docs.slack.dev, "Scopes"). */
export const SCOPES: Readonly<Record<string, string>> = {
  'assistant:write': 'conversations with the app',
  'channels:history': 'reading public channels that it is in',
  'channels:read': 'names of public channels',
  'chat:write': 'posting',
  'chat:write.customize': 'posting translations under their authors’ names',
  commands: 'slash commands and shortcuts',
  'files:read': 'voice messages and files',
  'files:write': 'spoken answers and files',
  'groups:history': 'reading private channels that it is in',
  'groups:read': 'names of private channels',
  'im:history': 'reading its direct messages',
  'im:read': 'its direct messages',
  'im:write': 'writing direct messages',
  'metadata.message:read': 'finding its own messages again',
  'mpim:history': 'reading group messages that it is in',
  'mpim:read': 'group messages that it is in',
  'pins:read': 'pinned messages of linked channels',
  'pins:write': 'pinning their copies',
  'reactions:read': 'flag reactions, and reactions of linked channels',
  'reactions:write': 'copying these',
  'usergroups:read': 'names of groups in messages, and who is in those that moderate',
  'users:read': 'people’s names and languages',
};

/** Scopes without which messages are mirrored all the same, but nothing pinned, or no reactions copied. */
export const BESIDE_COPIES = ['pins:read', 'pins:write', 'reactions:write'] as const;

const PERSONA = 'chat:write.customize';

/** Parts that a company may leave out, each with its scopes and what is lost without them. */
export const OPTIONAL = {
  files: {
    scopes: ['files:read', 'files:write'],
    loses:
      'files in linked channels, transcripts of recordings, spoken answers, charts and exports',
  },
  'private-channels': {
    scopes: ['groups:history', 'groups:read'],
    loses: 'auto-translate, flags and shortcuts in private channels',
  },
  'group-messages': {
    scopes: ['mpim:history', 'mpim:read'],
    loses: 'flags and shortcuts in group messages',
  },
} as const;

export type LeftOut = keyof typeof OPTIONAL;

export const LEFT_OUT = Object.keys(OPTIONAL) as LeftOut[];

/**
 * The name above a copy: its author's, its author's with that of the app, or the app's own; then the author stands in
 * the text.
 */
export const SHOWN_NAMES = ['author', 'via', 'app'] as const;

/** The part of the app that an operator chose. */
export interface ScopeChoice {
  /** Default: nothing. */
  readonly without?: readonly LeftOut[] | undefined;
  /** Default: the author's. */
  readonly names?: (typeof SHOWN_NAMES)[number] | undefined;
}

export const scopesOf = ({ without = [], names }: ScopeChoice): readonly string[] => {
  const left = new Set<string>(without.flatMap((name) => OPTIONAL[name].scopes));
  if (names === 'app') left.add(PERSONA);
  return Object.keys(SCOPES).filter((scope) => !left.has(scope));
};

const ALWAYS = ['chat:write', 'users:read'] as const;
const BY_MODE: Readonly<Record<WatchMode, readonly string[]>> = {
  reply: [],
  compact: [],
  request: [],
  thread: [PERSONA],
  mirror: [PERSONA, 'files:write'],
};

/** The scopes that a mode of auto-translate lacks, of those that the app asks for. */
export const missingScopes = (
  installed: Installed | undefined,
  mode: WatchMode,
  below: boolean,
  choice: ScopeChoice,
): readonly string[] => {
  const granted = installed?.scopes;
  const asked = scopesOf(choice);
  const needed = [...ALWAYS, ...BY_MODE[mode], ...(below ? [PERSONA] : [])];
  return granted ? needed.filter((scope) => asked.includes(scope) && !granted.has(scope)) : [];
};
