import { SUBSCRIBED } from '../../adapters/slack/manifest.ts';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import type { FakeChannel, FakeGuild, FakeUser } from '../../test/fakes/discord/index.ts';
import { guildsOfShards } from '../../test/fakes/discord/shard-of.ts';
import {
  startSlackFake,
  type FakeChannel as SlackChannel,
  type FakeUser as SlackUser,
  type SlackFake,
} from '../../test/fakes/slack/index.ts';
import type { Programs } from '../programs.ts';

/** A workspace with the app, and Slack around it. */
export interface SlackPlace {
  readonly slack: SlackFake;
  readonly environment: Record<string, string>;
  readonly admin: SlackUser;
  readonly channels: readonly SlackChannel[];
  readonly people: readonly SlackUser[];
}

/** Where people are: everything is watched. */
export interface Places {
  readonly programs: Programs;
  /** Channels whose messages are answered with their translations. */
  readonly channels: readonly FakeChannel[];
  /** Two channels that are linked. */
  readonly linked: readonly FakeChannel[];
  readonly lounge: { readonly guild: FakeGuild; readonly channel: FakeChannel };
  readonly people: readonly FakeUser[];
  readonly slack: SlackPlace;
  /** Addresses of the page, of each program. */
  readonly pages: readonly string[];
}

const NAMES = ['Ada', 'Bob', 'Eva', 'Kim', 'Lin', 'Max', 'Zoe'];
const CHANNELS_A_GUILD = 2;
const SLACK_CHANNELS = 4;

export const openSlack = async (): Promise<SlackPlace> => {
  const slack = await startSlackFake();
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);
  const admin = workspace.user({ name: 'admin', isAdmin: true });
  return {
    slack,
    environment: {
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
      SLACK_API_URL: slack.url,
    },
    admin,
    channels: Array.from({ length: SLACK_CHANNELS }, (_, at) =>
      workspace.channel({ name: `room-${at}`, members: [admin] }),
    ),
    people: NAMES.map((name) => workspace.user({ name })),
  };
};

/** Makes the places on Discord, has everything watched, and the voice channel captioned. */
export const openPlaces = async (
  programs: Programs,
  slack: SlackPlace,
  guilds: ReturnType<typeof guildsOfShards>,
  pages: readonly string[],
): Promise<Places> => {
  const { discord } = programs;
  const use = async (
    guild: FakeGuild,
    channel: FakeChannel,
    name: string,
    options: Record<string, string>,
  ): Promise<void> => {
    await discord.command(guild.owner, { channel, name, options }).answer();
  };
  const channels: FakeChannel[] = [];
  for (const guild of guilds)
    for (let at = 0; at < CHANNELS_A_GUILD; at += 1) {
      const channel = guild.channel({ name: `room-${at}` });
      await use(guild, channel, 'autotranslate reply', { languages: 'ja' });
      channels.push(channel);
    }
  const [guild] = guilds as [FakeGuild];
  const linked = ['english', 'spanish'].map((name) => guild.channel({ name }));
  await use(guild, linked[0]!, 'autotranslate mirror', {
    channels: `<#${linked[0]!.id}> en, <#${linked[1]!.id}> es`,
  });
  const home = guilds.at(-1)!;
  const lounge = { guild: home, channel: home.channel({ type: 'voice', name: 'lounge' }) };
  for (const channel of slack.channels) {
    slack.slack.command(slack.admin, channel, '/dragoman', 'autotranslate reply languages:ja');
    await slack.slack.until(
      () => channel.posts.length + channel.ephemeralsFor(slack.admin).length > 0,
    );
  }
  const people = NAMES.map((name) => discord.user({ name }));
  return { programs, channels, linked, lounge, people, slack, pages };
};
