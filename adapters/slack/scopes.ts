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
  'reactions:read': 'flag reactions',
  'usergroups:read': 'names of groups in messages',
  'users:read': 'people’s names and languages',
};

const ALWAYS = ['chat:write', 'users:read'] as const;
const PERSONA = 'chat:write.customize';
const BY_MODE: Readonly<Record<WatchMode, readonly string[]>> = {
  reply: [],
  thread: [PERSONA],
  mirror: [PERSONA, 'files:write'],
};

/** The scopes that a mode of auto-translate lacks. */
export const missingScopes = (
  installed: Installed | undefined,
  mode: WatchMode,
  below = false,
): readonly string[] => {
  const granted = installed?.scopes;
  const needed = [...ALWAYS, ...BY_MODE[mode], ...(below ? [PERSONA] : [])];
  return granted ? needed.filter((scope) => !granted.has(scope)) : [];
};
