import { scopesOf, type ScopeChoice } from './scopes.ts';
import type { Naming } from '../../src/model/command-info.ts';

/** Page of a person's apps at Slack. */
export const APPS = 'https://api.slack.com/apps';

/** Page of the app's settings. */
export const pageOf = (page: string, appId: string | undefined): string =>
  appId === undefined ? `${APPS} (your app, "${page}")` : `${APPS}/${appId}/${page}`;

/** The command that holds all others as subcommands. */
export const ROOT_COMMAND = '/dragoman';
/** The names by which people type the other commands. */
export const NAMING = 'under dragoman' satisfies Naming;

/** The commands that can also be typed alone, without `/dragoman`, with what Slack shows of each. */
export const SINGLE_COMMANDS = {
  translate: {
    description: 'Translate text or audio',
    hint: '[text] to:[language] from:[language]',
  },
  transcribe: {
    description: 'Transcribe an audio file',
    hint: 'language:[language] to:[language]',
  },
  say: {
    description: 'Turn text into speech',
    hint: '[text] language:[language] voice:[voice]',
  },
  ask: { description: 'Ask the language model a question', hint: '[question]' },
} as const;

/** The shortcuts: a `callback_id` is the name of the command that runs. */
export const SHORTCUTS = [
  {
    name: 'Translate',
    type: 'message',
    callback_id: 'translate',
    description: 'Translates this message for you alone',
  },
  {
    name: 'Transcribe',
    type: 'message',
    callback_id: 'transcribe',
    description: 'Writes down the audio of this message for you alone',
  },
  {
    name: 'Read aloud',
    type: 'message',
    callback_id: 'say',
    description: 'Sends you this message as speech',
  },
  {
    name: 'About this message',
    type: 'message',
    callback_id: 'why',
    description: 'Tells you what became of this message',
  },
  {
    name: 'Read from here',
    type: 'message',
    callback_id: 'catchup',
    description: 'Shows you what was written since, in your language',
  },
  {
    name: 'Ask Dragoman',
    type: 'global',
    callback_id: 'ask',
    description: 'Asks the language model a question',
  },
] as const;

/** The events that are handled, by type, each with what Slack calls them in a subscription. */
const SUBSCRIPTIONS = {
  message: ['message.channels', 'message.groups', 'message.im', 'message.mpim'],
  reaction_added: ['reaction_added'],
  reaction_removed: ['reaction_removed'],
  pin_added: ['pin_added'],
  pin_removed: ['pin_removed'],
  member_joined_channel: ['member_joined_channel'],
  channel_unarchive: ['channel_unarchive'],
  group_unarchive: ['group_unarchive'],
  channel_deleted: ['channel_deleted'],
  group_deleted: ['group_deleted'],
  channel_rename: ['channel_rename'],
  user_change: ['user_change'],
  app_home_opened: ['app_home_opened'],
  app_uninstalled: ['app_uninstalled'],
  tokens_revoked: ['tokens_revoked'],
} as const;

/**
 * Events that are handled and not subscribed to by the manifest: apps that organisations install as a
 * whole add them ("Organization-ready apps").
 */
export const ORGANISATION_EVENTS = ['team_access_granted', 'team_access_revoked'] as const;

/** The type of an event that is handled. */
export type EventType = keyof typeof SUBSCRIPTIONS | (typeof ORGANISATION_EVENTS)[number];

export const SUBSCRIBED: readonly string[] = Object.values(SUBSCRIPTIONS).flat();

/** Scopes without which Slack takes no subscription to these events ("Events"). */
const SCOPE_OF_EVENT: Readonly<Record<string, string>> = {
  'message.groups': 'groups:history',
  'message.mpim': 'mpim:history',
  group_unarchive: 'groups:read',
  group_deleted: 'groups:read',
};

const eventsOf = (scopes: readonly string[]): readonly string[] =>
  SUBSCRIBED.filter((event) => {
    const scope = SCOPE_OF_EVENT[event];
    return scope === undefined || scopes.includes(scope);
  });

/** Paths at which Slack is answered: events, commands and interactions, and an installation's pages. */
export const EVENTS_PATH = '/slack/events';
export const INSTALL_PATH = '/slack/install';
export const REDIRECT_PATH = '/slack/oauth_redirect';

/** Name of the app, as people see it. */
export const APP_NAME = 'Dragoman';

/** Text of the app's page, of 175 to 4,000 characters ("App manifest reference"). */
const LONG_DESCRIPTION =
  'Dragoman translates channels automatically, links channels in different languages, also with other workspaces ' +
  'and with Discord, writes down voice messages and audio clips, reads text aloud as an audio file, and answers ' +
  'questions. It reads only channels that it was invited to. Translations, transcripts and voices are made by ' +
  'machines and can be wrong. Type /dragoman help for everything that it can do, and /dragoman privacy to see, ' +
  'export or delete what is stored about you.';

type Node = string | boolean | readonly Node[] | { readonly [key: string]: Node };
export type Manifest = Readonly<Record<string, Node>>;

/**
 * The app's configuration as Slack takes it ("App manifest reference").
 *
 * @param publicUrl address of this program as browsers and, without Socket Mode, Slack reach it
 * @param choice scopes and events that are left out. Default: none
 */
export const manifestFor = (
  publicUrl: string | undefined,
  isSocket = publicUrl === undefined,
  choice: ScopeChoice = {},
): Manifest => {
  const scopes = scopesOf(choice);
  const at = (path: string): string => new URL(path, publicUrl).href;
  const events = isSocket ? {} : { request_url: at(EVENTS_PATH) };
  const url = isSocket ? {} : { url: at(EVENTS_PATH) };
  return {
    display_information: {
      name: APP_NAME,
      description: 'An interpreter: translates channels, transcribes audio and reads text aloud',
      long_description: LONG_DESCRIPTION,
      background_color: '#1f4e5f',
    },
    features: {
      app_home: {
        home_tab_enabled: true,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      agent_view: { agent_description: 'Translates what you write, and answers questions' },
      bot_user: { display_name: 'dragoman', always_online: true },
      shortcuts: SHORTCUTS,
      slash_commands: [
        {
          command: ROOT_COMMAND,
          description: 'Use any command of Dragoman',
          usage_hint: 'help',
          should_escape: true,
          ...url,
        },
        ...Object.entries(SINGLE_COMMANDS).map(([name, { description, hint }]) => ({
          command: `/${name}`,
          description,
          usage_hint: hint,
          should_escape: true,
          ...url,
        })),
      ],
    },
    oauth_config: {
      ...(publicUrl === undefined ? {} : { redirect_urls: [at(REDIRECT_PATH)] }),
      scopes: { bot: scopes },
    },
    settings: {
      event_subscriptions: { ...events, bot_events: eventsOf(scopes) },
      interactivity: {
        is_enabled: true,
        ...events,
        ...(isSocket ? {} : { message_menu_options_url: at(EVENTS_PATH) }),
      },
      org_deploy_enabled: false,
      socket_mode_enabled: isSocket,
      token_rotation_enabled: false,
    },
  };
};

/** Text that is the same text in YAML without quotes. */
const PLAIN = /^[a-z/](?:[\w ,./-]|:(?! |$))*$/i;

const scalar = (value: string | boolean): string =>
  typeof value === 'boolean' || PLAIN.test(value)
    ? String(value)
    : `'${value.replaceAll("'", "''")}'`;

const linesOf = (node: Node, step: string): readonly string[] => {
  const nested = (key: string, value: Node): readonly string[] =>
    typeof value === 'object'
      ? [key, ...linesOf(value, step).map((line) => `${step}${line}`)]
      : [`${key} ${scalar(value)}`];
  if (typeof node !== 'object') return [scalar(node)];
  if (!Array.isArray(node))
    return Object.entries(node).flatMap(([key, value]) => nested(`${key}:`, value));
  return (node as readonly Node[]).flatMap((item) =>
    linesOf(item, step).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`),
  );
};

/** @param indent spaces by which what is nested stands further right */
export const manifestYaml = (manifest: Manifest, indent = 2): string =>
  `${linesOf(manifest, ' '.repeat(indent)).join('\n')}\n`;

/** Characters that may stand in a query as they are ("Uniform Resource Identifier", RFC 3986, 3.4). */
const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/%(?:3A|2F|2C)/g, (code) => decodeURIComponent(code))
    .replaceAll("'", '%27');

/** Link that creates the app at Slack with this configuration, to be confirmed there. */
export const creationLink = (manifest: Manifest): string =>
  `https://api.slack.com/apps?new_app=1&manifest_yaml=${encoded(manifestYaml(manifest, 1))}`;
