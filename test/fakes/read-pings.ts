import type { RichTextBlock } from '../../adapters/slack/rich-text/blocks.ts';
import { readMentions } from './discord/mentions.ts';
import type { Channel, User, World } from './discord/state.ts';

const AUTHOR = { id: '1' } as User;
const anybody = { get: (id: string) => ({ id }) };
const anyRole = { get: () => ({ mentionable: true, permissions: 0n }) };
/** A server on which everybody is a member, every role can be mentioned, and the author may do all. */
const GUILD = {
  ownerId: AUTHOR.id,
  members: { get: () => ({ roles: [] }) },
  roles: anyRole,
};
const CHANNEL = { guild: GUILD, overwrites: [] } as unknown as Channel;
const WORLD = { users: anybody, channels: new Map() } as unknown as World;

/** Whom a message would notify on Discord if everything were allowed, read as the fake reads it. */
export const discordPings = (content: string): readonly string[] => {
  const by = { content, components: [], author: AUTHOR };
  const all = ['users', 'roles', 'everyone'];
  const found = readMentions(WORLD, CHANNEL, by, undefined, all, undefined);
  return [
    ...found.users.map(({ id }) => `member ${id}`),
    ...found.roles.map((id) => `role ${id}`),
    ...(found.everyone ? ['everyone'] : []),
  ];
};

/** Whom a block would notify on Slack; read without the project's own parsers. */
export const slackBlockPings = (block: RichTextBlock): readonly string[] => {
  const found: string[] = [];
  JSON.stringify(block, (_, value: unknown) => {
    const { type, user_id, usergroup_id, range } = (value ?? {}) as Record<string, string>;
    if (type === 'user') found.push(`member ${user_id}`);
    if (type === 'usergroup') found.push(`group ${usergroup_id}`);
    if (type === 'broadcast') found.push(`broadcast ${range}`);
    return value;
  });
  return found;
};

const mrkdwnPing =
  /<(?:@(?<member>\w+)|!subteam\^(?<group>\w+)|!(?<broadcast>here|channel|everyone))|@(?<word>here|channel|everyone)/gi;

/** Whom a text would notify on Slack; read without the project's own parsers, code included. */
export const mrkdwnPings = (written: string): readonly string[] =>
  Array.from(written.matchAll(mrkdwnPing), ({ groups = {} }) => {
    const [kind = '', id = ''] = Object.entries(groups).find(([, value]) => value) ?? [];
    return `${kind} ${id}`;
  });
