import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import {
  creationLink,
  manifestFor,
  manifestYaml,
  ROOT_COMMAND,
  SHORTCUTS,
  SINGLE_COMMANDS,
  SUBSCRIBED,
  type Manifest,
} from '../../../adapters/slack/manifest.ts';
import { LEFT_OUT, OPTIONAL, SCOPES } from '../../../adapters/slack/scopes.ts';
import { actionsOf, describeAction } from '../../../src/command/catalogue.ts';
import { type Command, commandFault } from '../../../src/command/command.ts';
import { discover } from '../../../src/app/modules.ts';
import { appMethods } from '../../fakes/slack/methods/apps.ts';
import type { Method } from '../../fakes/slack/methods/call.ts';
import { chatMethods } from '../../fakes/slack/methods/chat.ts';
import { conversationMethods } from '../../fakes/slack/methods/conversations.ts';
import { fileMethods } from '../../fakes/slack/methods/files.ts';
import { peopleMethods } from '../../fakes/slack/methods/people.ts';
import { viewMethods } from '../../fakes/slack/methods/views.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

/** The scope that each event needs (docs.slack.dev, "Events"); undefined: none. */
const EVENT_SCOPES: Readonly<Record<string, string | undefined>> = {
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  reaction_added: 'reactions:read',
  reaction_removed: 'reactions:read',
  pin_added: 'pins:read',
  pin_removed: 'pins:read',
  member_joined_channel: 'channels:read',
  channel_unarchive: 'channels:read',
  group_unarchive: 'groups:read',
  channel_deleted: 'channels:read',
  group_deleted: 'groups:read',
  channel_rename: 'channels:read',
  user_change: 'users:read',
  app_home_opened: undefined,
  app_uninstalled: undefined,
  tokens_revoked: undefined,
};

/** Scopes that neither a method nor an event asks for as such. */
const OTHERWISE_NEEDED = [
  // `username` of "chat.postMessage".
  'chat:write.customize',
  // The app's commands and shortcuts.
  'commands',
  // "conversations.info" of a private channel, and of direct and group messages.
  'groups:read',
  'im:read',
  'mpim:read',
  // `include_all_metadata` of "conversations.replies".
  'metadata.message:read',
];

interface Written {
  readonly features: {
    readonly slash_commands: readonly {
      readonly command: string;
      readonly description: string;
      readonly usage_hint: string;
      readonly should_escape: boolean;
      readonly url?: string;
    }[];
    readonly shortcuts: readonly Readonly<Record<string, string>>[];
  };
  readonly oauth_config: {
    readonly scopes: { readonly bot: readonly string[] };
    readonly redirect_urls?: readonly string[];
  };
  readonly settings: {
    readonly event_subscriptions: { readonly bot_events: readonly string[] };
    readonly socket_mode_enabled: boolean;
  };
}

const written = (manifest: Manifest): Written => parse(manifestYaml(manifest)) as Written;
const FILE = 'deploy/slack-manifest.yaml';
const HEAD = `# The Slack app: at https://api.slack.com/apps, "Create New App", "From a manifest", paste this.
# adapters/slack/manifest.ts writes it; after a change there: npx vitest run manifest -u
`;

test('the file is what the code says', async () => {
  await expect(HEAD + manifestYaml(manifestFor(undefined))).toMatchFileSnapshot(`../../../${FILE}`);
});

describe.each([undefined, 'https://dragoman.example.org'])('the manifest for %s', (publicUrl) => {
  const manifest = manifestFor(publicUrl);

  it('is read as it was written, however far it is indented', () => {
    for (const indent of [1, 2, 4]) expect(parse(manifestYaml(manifest, indent))).toEqual(manifest);
  });

  it('comes whole through a link that browsers and servers take', () => {
    const link = creationLink(manifest);
    // Servers commonly take request lines of 8 KiB.
    expect(link.length).toBeLessThan(6_000);
    expect(link).not.toMatch(/[\s"'<>]/);
    const url = new URL(link);
    expect(url.origin + url.pathname).toBe('https://api.slack.com/apps');
    expect(parse(url.searchParams.get('manifest_yaml') ?? '')).toEqual(manifest);
  });

  it('keeps Slack’s limits', () => {
    const { features } = written(manifest);
    expect(features.slash_commands.length).toBeLessThanOrEqual(25);
    expect(features.shortcuts.length).toBeLessThanOrEqual(10);
    for (const { command, description, usage_hint } of features.slash_commands) {
      expect(command).toMatch(/^\/[a-z]{1,31}$/);
      expect(description.length).toBeLessThanOrEqual(2_000);
      expect(usage_hint.length).toBeLessThanOrEqual(1_000);
    }
    const ids = new Set(features.shortcuts.map(({ callback_id }) => callback_id));
    expect(ids.size).toBe(features.shortcuts.length);
    for (const { name = '', description = '' } of features.shortcuts) {
      expect(name.length).toBeLessThanOrEqual(24);
      expect(description.length).toBeLessThanOrEqual(150);
    }
  });

  it('has mentions in commands escaped, so that they can be told from words', () => {
    const { slash_commands } = written(manifest).features;
    expect(slash_commands.filter(({ should_escape }) => !should_escape)).toEqual([]);
  });

  it('says how events arrive', () => {
    const { settings, oauth_config, features } = written(manifest);
    const address = publicUrl && `${publicUrl}/slack/events`;
    expect(settings.socket_mode_enabled).toBe(publicUrl === undefined);
    expect(oauth_config.redirect_urls).toEqual(publicUrl && [`${publicUrl}/slack/oauth_redirect`]);
    expect(new Set(features.slash_commands.map(({ url }) => url))).toEqual(new Set([address]));
  });
});

describe('the scopes', () => {
  const { oauth_config, settings } = written(manifestFor(undefined));
  const methods = new Map<string, Method>(
    [
      ...appMethods,
      ...peopleMethods,
      ...chatMethods,
      ...conversationMethods,
      ...fileMethods,
      ...viewMethods,
    ].map((method) => [method.name, method]),
  );
  const code = readdirSync('adapters/slack', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(`adapters/slack/${path}`, 'utf8'))
    .join('\n');
  const called = [...methods.values()].filter(({ name }) => code.includes(`'${name}'`));

  it('are those of the code', () => {
    expect(oauth_config.scopes.bot).toEqual(Object.keys(SCOPES));
    expect(oauth_config.scopes.bot).toEqual(Object.keys(SCOPES).toSorted());
    expect(settings.event_subscriptions.bot_events).toEqual(SUBSCRIBED);
  });

  it('are enough for every call', () => {
    expect(called.length).toBeGreaterThan(10);
    const without = called.filter(
      ({ scopes }) => scopes.length > 0 && !scopes.some((scope) => scope in SCOPES),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('are each needed for something', () => {
    const { bot_events } = settings.event_subscriptions;
    const needed = new Set([
      ...called.flatMap(({ scopes }) => scopes),
      ...bot_events.map((event) => EVENT_SCOPES[event]),
      ...OTHERWISE_NEEDED,
    ]);
    expect(Object.keys(SCOPES).filter((scope) => !needed.has(scope))).toEqual([]);
  });

  it('are enough for every event', () => {
    const { bot_events } = settings.event_subscriptions;
    expect(bot_events.filter((event) => !(event in EVENT_SCOPES))).toEqual([]);
    const needed = bot_events.map((event) => EVENT_SCOPES[event]).filter((scope) => scope);
    expect(Object.keys(SCOPES)).toEqual(expect.arrayContaining(needed));
  });
});

describe.each(LEFT_OUT)('the manifest without %s', (left) => {
  const { oauth_config, settings } = written(manifestFor(undefined, true, { without: [left] }));
  const scopes = new Set(oauth_config.scopes.bot);

  it('asks for none of its scopes, and for all others', () => {
    const missing = Object.keys(SCOPES).filter((scope) => !scopes.has(scope));
    expect(missing).toEqual(OPTIONAL[left].scopes);
  });

  it('subscribes to no event that Slack would not send', () => {
    const refused = settings.event_subscriptions.bot_events.filter((event) => {
      const scope = EVENT_SCOPES[event];
      return scope !== undefined && !scopes.has(scope);
    });
    expect(refused).toEqual([]);
  });
});

test('names of the app’s own need no scope to change them', () => {
  const { bot } = written(manifestFor(undefined, true, { names: 'app' })).oauth_config.scopes;
  expect(Object.keys(SCOPES).filter((scope) => !bot.includes(scope))).toEqual([
    'chat:write.customize',
  ]);
});

describe('the commands', async () => {
  const commands = await discover<Command>('commands', commandFault);
  const known = new Map(
    commands
      .flatMap(actionsOf)
      .map((named) =>
        describeAction(named, texts, 'en', {
          naming: 'plain',
          hasRooms: false,
        }),
      )
      .map((command) => [command.name, command]),
  );

  it.each(Object.entries(SINGLE_COMMANDS))('/%s is one, with these options', (name, single) => {
    const command = known.get(name);
    expect(command?.summary).toBe(single.description);
    const hinted = [...single.hint.matchAll(/([a-z]+):/g)].map(([, option]) => option);
    expect(command?.options.map((option) => option.name)).toEqual(expect.arrayContaining(hinted));
  });

  it('has one that holds them all', () => {
    const [first] = written(manifestFor(undefined)).features.slash_commands;
    expect(first?.command).toBe(ROOT_COMMAND);
    expect(known.has(first?.usage_hint ?? '')).toBe(true);
  });

  it('are on messages exactly where a message can be given to them', () => {
    const menus = [...known.values()].flatMap(({ name, menu }) => (menu ? [[name, menu]] : []));
    const onMessages = SHORTCUTS.filter(({ type }) => type === 'message');
    expect(new Map(onMessages.map(({ name, callback_id }) => [callback_id, name]))).toEqual(
      new Map(menus as [string, string][]),
    );
  });

  it('are asked for their options by the global shortcuts', () => {
    const anywhere = SHORTCUTS.filter(({ type }) => type === 'global');
    expect(anywhere.length).toBeGreaterThan(0);
    for (const { callback_id } of anywhere)
      expect(known.get(callback_id)?.options.length, callback_id).toBeGreaterThan(0);
  });
});
