import { z } from 'zod';
import { SlackFault } from '../errors.ts';
import { unicodeOf } from '../../../../adapters/slack/rich-text/atoms.ts';
import { pin, react } from '../posting.ts';
import { findUser } from '../population.ts';
import { permalinkOf, renderMessage, renderUser, teamOf } from '../render.ts';
import { channelFor, count, flag, method, SPECIAL, TIER } from './call.ts';

const authTest = method('auth.test', { args: z.looseObject({}) }, ({ world, installation }) => {
  const { workspace, botUser, botId, organisation } = installation;
  if (organisation)
    return {
      url: `https://${organisation.id.toLowerCase()}.enterprise.slack.com/`,
      team: organisation.name,
      user: botUser.name,
      team_id: organisation.id,
      user_id: botUser.id,
      bot_id: botId,
      enterprise_id: organisation.id,
      is_enterprise_install: true,
    };
  return {
    url: `https://${workspace.domain}.slack.com/`,
    team: workspace.name,
    user: botUser.name,
    team_id: workspace.id,
    user_id: botUser.id,
    bot_id: botId,
    ...(workspace.enterpriseId === undefined ? {} : { enterprise_id: workspace.enterpriseId }),
    is_enterprise_install: false,
    app_id: world.app.id,
  };
});

const userInfo = method(
  'users.info',
  {
    rate: TIER[4],
    scopes: ['users:read'],
    args: z.looseObject({ user: z.string(), include_locale: flag }),
  },
  ({ world, args, installation }) => {
    const user = findUser(world, args.user);
    const isKnown =
      user &&
      !(user.hidden && user.workspace !== installation.workspace) &&
      (user.workspace === installation.workspace ||
        user.alsoIn.has(installation.workspace.id) ||
        [...world.channels.values()].some(
          ({ members, workspaces }) =>
            members.has(user.id) && workspaces.includes(installation.workspace),
        ));
    if (!isKnown) throw new SlackFault('user_not_found');
    const { workspace } = installation;
    const isOwn = user.workspace === workspace || user.alsoIn.has(workspace.id);
    return { user: renderUser(user, args.include_locale && isOwn) };
  },
);

const usersList = method(
  'users.list',
  {
    rate: TIER[2],
    scopes: ['users:read'],
    args: z.looseObject({
      limit: count(200, 1_000),
      cursor: z.string().optional(),
      include_locale: flag,
    }),
  },
  ({ args, installation }) => {
    const all = [...installation.workspace.users.values()];
    const from = Number(args.cursor ?? 0);
    const next = from + args.limit < all.length ? String(from + args.limit) : '';
    return {
      members: all
        .slice(from, from + args.limit)
        .map((user) => renderUser(user, args.include_locale)),
      response_metadata: { next_cursor: next },
    };
  },
);

const teamInfo = method(
  'team.info',
  { rate: TIER[3], scopes: ['team:read'], args: z.looseObject({ team: z.string().optional() }) },
  ({ world, args, installation }) => {
    const workspace = world.workspaces.get(args.team ?? installation.workspace.id);
    if (!workspace) throw new SlackFault('team_not_found');
    return { team: { name: workspace.name, ...teamOf(workspace) } };
  },
);

const emojiList = method(
  'emoji.list',
  { rate: TIER[2], scopes: ['emoji:read'], args: z.looseObject({}) },
  ({ installation }) => ({ emoji: Object.fromEntries(installation.workspace.emoji) }),
);

const usergroups = method(
  'usergroups.list',
  { rate: TIER[2], scopes: ['usergroups:read'], args: z.looseObject({}) },
  ({ installation: { workspace } }) => ({
    usergroups: Array.from(workspace.groups, ([id, handle]) => ({ id, handle })),
  }),
);

/** `no_such_subteam` for an unknown group ("usergroups.users.list"). */
const groupUsers = method(
  'usergroups.users.list',
  {
    rate: TIER[2],
    scopes: ['usergroups:read'],
    args: z.looseObject({ usergroup: z.string() }),
  },
  ({ installation: { workspace }, args }) => {
    const members = workspace.groupMembers.get(args.usergroup);
    if (!members) throw new SlackFault('no_such_subteam');
    return { users: [...members] };
  },
);

const reactionsGet = method(
  'reactions.get',
  {
    rate: TIER[3],
    scopes: ['reactions:read'],
    args: z.looseObject({ channel: z.string(), timestamp: z.string(), full: flag }),
  },
  (call) => {
    const channel = channelFor(call, call.args.channel);
    const message = channel.messages.find(({ ts }) => ts === call.args.timestamp);
    if (!message) throw new SlackFault('message_not_found');
    const { workspace } = call.installation;
    return {
      type: 'message',
      channel: channel.id,
      message: {
        ...renderMessage(call.world, message, workspace),
        permalink: permalinkOf(message, workspace),
      },
    };
  },
);

/** Different emoji under a message, and of one person ("Use emoji and reactions" in Slack's help). */
const EMOJI = 50;
const OWN_EMOJI = 23;

const reactMethods = [true, false].map((isPresent) =>
  method(
    isPresent ? 'reactions.add' : 'reactions.remove',
    {
      rate: TIER[isPresent ? 3 : 2],
      scopes: ['reactions:write'],
      args: z.looseObject({ channel: z.string(), timestamp: z.string(), name: z.string() }),
    },
    (call) => {
      const { name, timestamp } = call.args;
      const { botUser } = call.installation;
      const message = channelFor(call, call.args.channel).messages.find(
        ({ ts }) => ts === timestamp,
      );
      if (!message) throw new SlackFault('message_not_found');
      if (unicodeOf(name) === undefined) throw new SlackFault('invalid_name');
      const all = [...message.reactions];
      const own = all.filter(([, users]) => users.has(botUser.id)).map(([each]) => each);
      if (own.includes(name) === isPresent)
        throw new SlackFault(isPresent ? 'already_reacted' : 'no_reaction');
      if (isPresent && own.length >= OWN_EMOJI) throw new SlackFault('too_many_reactions');
      if (isPresent && all.length >= EMOJI && !message.reactions.has(name))
        throw new SlackFault('too_many_emoji');
      react(call.world, message, botUser, name, isPresent);
      return {};
    },
  ),
);

/** Pinned messages of a channel ("pins.add"). */
const PINS = 100;

const pinMethods = [true, false].map((isPinned) =>
  method(
    isPinned ? 'pins.add' : 'pins.remove',
    {
      rate: TIER[2],
      scopes: ['pins:write'],
      args: z.looseObject({ channel: z.string(), timestamp: z.string() }),
    },
    (call) => {
      const channel = channelFor(call, call.args.channel);
      const message = channel.messages.find(({ ts }) => ts === call.args.timestamp);
      if (!message) throw new SlackFault('message_not_found');
      if (message.pinned === isPinned) throw new SlackFault(isPinned ? 'already_pinned' : 'no_pin');
      const most = channel.messages.filter(({ pinned }) => pinned).length;
      if (isPinned && most >= PINS) throw new SlackFault('not_pinnable');
      pin(call.world, message, call.installation.botUser, isPinned);
      return {};
    },
  ),
);

const THREAD_METHODS = ['setStatus', 'setTitle', 'setSuggestedPrompts'].map((name) =>
  method(
    `assistant.threads.${name}`,
    {
      rate: name === 'setStatus' ? SPECIAL : TIER[4],
      scopes: ['assistant:write'],
      args: z.looseObject({ channel_id: z.string(), thread_ts: z.string() }),
    },
    (call) => {
      channelFor(call, call.args.channel_id);
      return {};
    },
  ),
);

export const peopleMethods = [
  authTest,
  userInfo,
  usersList,
  teamInfo,
  emojiList,
  usergroups,
  groupUsers,
  reactionsGet,
  ...reactMethods,
  ...pinMethods,
  ...THREAD_METHODS,
];
