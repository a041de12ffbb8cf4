import type { Json } from './json.ts';
import type {
  Channel,
  File,
  Installation,
  Message,
  User,
  View,
  Workspace,
  World,
} from './state.ts';

/** The objects of Slack as its API and events show them (docs.slack.dev, "Objects"). */

export const renderUser = (user: User, withLocale: boolean): Json => ({
  id: user.id,
  team_id: user.workspace.id,
  name: user.name,
  deleted: false,
  real_name: user.displayName,
  tz: 'Europe/Berlin',
  ...(withLocale ? { locale: user.locale } : {}),
  is_bot: user.isBot,
  is_admin: user.isAdmin,
  is_owner: false,
  is_restricted: false,
  is_ultra_restricted: false,
  ...(user.alsoIn.size > 0
    ? {
        enterprise_user: {
          id: user.id,
          enterprise_id: user.workspace.enterpriseId,
          is_admin: false,
          is_owner: false,
          teams: [user.workspace.id, ...user.alsoIn],
        },
      }
    : {}),
  profile: {
    display_name: user.displayName,
    real_name: user.displayName,
    image_48: user.imageUrl,
    image_72: user.imageUrl,
    image_192: user.imageUrl,
    team: user.workspace.id,
    ...(user.isBot ? { bot_id: `B${user.id.slice(1)}` } : {}),
  },
});

const profileOf = ({ name, displayName, imageUrl, workspace }: User): Json => ({
  name,
  real_name: displayName,
  display_name: displayName,
  image_72: imageUrl,
  team: workspace.id,
});

const isShared = (channel: Channel): boolean => channel.workspaces.length > 1;

export const renderChannel = (channel: Channel, botUserId: string): Json => {
  const { id, name, kind, archived, workspaces, members, made } = channel;
  const isIm = kind === 'im';
  return {
    id,
    ...(isIm
      ? { user: [...members].find((member) => member !== botUserId) ?? botUserId }
      : { name, name_normalized: name }),
    is_channel: kind === 'public',
    is_group: kind === 'private',
    is_im: isIm,
    is_mpim: kind === 'mpim',
    is_private: kind !== 'public',
    ...(made ? { creator: made.by, created: Math.floor(made.atMs / 1_000) } : {}),
    is_archived: archived,
    is_general: false,
    is_ext_shared: isShared(channel),
    is_shared: isShared(channel),
    is_member: members.has(botUserId),
    context_team_id: workspaces[0]?.id,
    shared_team_ids: workspaces.map((workspace) => workspace.id),
    num_members: members.size,
  };
};

/** @param to the workspace whose app is told: files of others come as a name only */
export const renderFile = (world: World, file: File, to: Workspace | undefined): Json => {
  if (file.deleted) return { id: file.id, mode: 'tombstone' };
  if (to && (file.checkInfo || file.workspace !== to))
    return { id: file.id, file_access: 'check_file_info', mode: 'hosted' };
  const address = `${world.origin}/files-pri/${file.workspace.id}-${file.id}`;
  const name = encodeURIComponent(file.name);
  return {
    id: file.id,
    created: Math.floor(world.clock.now() / 1_000),
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: file.name.split('.').at(-1),
    user: file.owner.id,
    user_team: file.workspace.id,
    size: file.bytes.byteLength,
    mode: 'hosted',
    is_external: false,
    file_access: 'visible',
    ...(file.altText === undefined ? {} : { alt_txt: file.altText }),
    url_private: `${address}/${name}`,
    url_private_download: `${address}/download/${name}`,
    permalink: `https://${file.workspace.domain}.slack.com/files/${file.owner.id}/${file.id}/${name}`,
    ...file.more,
  };
};

export const repliesOf = ({ channel, ts }: Message): readonly Message[] =>
  channel.messages.filter((each) => each.threadTs === ts && each.ts !== ts);

/** The fields by which Slack shows a thread: at most five who replied, an app that posts under a person's name by its bot. */
const threadOf = (replies: readonly Message[]): Json => {
  const ids = replies.map(({ author, botId, username }) =>
    username === undefined || botId === undefined ? author.id : botId,
  );
  const users = [...new Set(ids)];
  return {
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users.slice(0, 5),
    latest_reply: replies.at(-1)?.ts,
  };
};

/** The message that a broadcast answers, as it stands within the broadcast. */
const rootOf = (world: World, { channel, threadTs }: Message, to: Workspace | undefined): Json => {
  const root = channel.messages.find(({ ts }) => ts === threadTs);
  return root ? renderMessage(world, root, to) : {};
};

export const renderMessage = (
  world: World,
  message: Message,
  to?: Workspace,
  withMetadata = false,
): Json => {
  if (message.tombstone)
    return {
      type: 'message',
      subtype: 'tombstone',
      ts: message.ts,
      thread_ts: message.ts,
      text: 'This message was deleted.',
      user: 'USLACKBOT',
      hidden: true,
    };
  const { author, botId, threadTs } = message;
  const replies = repliesOf(message);
  const isThread = threadTs ?? (replies.length > 0 ? message.ts : undefined);
  const subtype = message.broadcast
    ? 'thread_broadcast'
    : message.username === undefined
      ? message.files.length > 0 && botId === undefined
        ? 'file_share'
        : undefined
      : 'bot_message';
  return {
    type: 'message',
    ...(subtype === undefined ? {} : { subtype }),
    ...(message.username === undefined || botId === undefined
      ? { user: author.id }
      : { username: message.username, icons: { image_48: message.iconUrl } }),
    ...(botId === undefined ? {} : { bot_id: botId, app_id: world.app.id }),
    team: author.workspace.id,
    user_team: author.workspace.id,
    // Slack tells of people of other organisations with what they wrote.
    ...(to && author.workspace !== to && botId === undefined
      ? { source_team: author.workspace.id, user_profile: profileOf(author) }
      : {}),
    ts: message.ts,
    text: message.text,
    ...(message.blocks ? { blocks: message.blocks } : {}),
    ...(message.attachments ? { attachments: message.attachments } : {}),
    ...(message.files.length > 0
      ? { files: message.files.map((file) => renderFile(world, file, to)), upload: false }
      : {}),
    ...(isThread === undefined ? {} : { thread_ts: isThread }),
    ...(message.broadcast ? { root: rootOf(world, message, to) } : {}),
    ...(replies.length > 0 ? threadOf(replies) : {}),
    ...(message.editedTs ? { edited: { user: author.id, ts: message.editedTs } } : {}),
    ...(message.reactions.size > 0
      ? {
          reactions: [...message.reactions].map(([name, users]) => ({
            name,
            users: [...users],
            count: users.size,
          })),
        }
      : {}),
    ...(message.metadata && withMetadata ? { metadata: message.metadata } : {}),
  };
};

/** The address of a message; for a reply it names the thread too. */
export const permalinkOf = ({ channel, ts, threadTs }: Message, { domain }: Workspace): string => {
  const thread = threadTs === undefined ? '' : `?thread_ts=${threadTs}&cid=${channel.id}`;
  return `https://${domain}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}${thread}`;
};

export const renderView = (world: World, view: View): Json => ({
  id: view.id,
  team_id: view.workspace.id,
  app_id: world.app.id,
  bot_id: view.workspace.installation?.botId,
  root_view_id: view.rootId,
  previous_view_id: view.previous?.id ?? null,
  hash: view.hash,
  state: { values: {} },
  private_metadata: '',
  callback_id: '',
  external_id: view.externalId ?? '',
  ...view.content,
});

export const teamOf = ({ id, domain, enterpriseId }: Workspace): Json => ({
  id,
  domain,
  ...(enterpriseId === undefined ? {} : { enterprise_id: enterpriseId }),
});

/** Everything that says which workspace a request is about. */
const aboutOf = ({ world, args }: { readonly world: World; readonly args: Json }) => {
  const { channel, channel_id, team_id, user, user_id, users } = args as Readonly<
    Record<string, string | undefined>
  >;
  const known = world.channels.get(channel ?? channel_id ?? '');
  const person = user ?? user_id ?? users ?? '';
  return ({ workspace }: Installation): boolean => {
    if (team_id !== undefined) return workspace.id === team_id;
    if (known) return known.workspaces.includes(workspace);
    return person === '' || workspace.users.has(person);
  };
};

/**
 * The installation whose token a request has; of an organisation's token that of the workspace which
 * the request is about.
 */
export const installationOf = (
  world: World,
  token: string,
  args: Json = {},
): Installation | undefined => {
  const found = [...world.workspaces.values()].flatMap(({ installation }) =>
    installation?.token === token ? installation : [],
  );
  return found.find(aboutOf({ world, args })) ?? found[0];
};
