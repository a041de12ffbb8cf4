import { useCommand } from '../../test/fakes/bot.ts';
import { SENTENCES } from '../../test/fakes/conversation.ts';
import { snowflakeTime } from '../../test/fakes/discord/clock.ts';
import type {
  DiscordFake,
  FakeChannel,
  FakeGuild,
  FakeMessage,
} from '../../test/fakes/discord/index.ts';
import { createMirrorsShown } from '../../test/fakes/mirrors-shown.ts';
import type { Place, Said } from './judge.ts';

/** People who talk on one server of each shard. */
export interface DiscordTalk {
  /** Makes the channels known to a program that runs. */
  watch(): Promise<void>;
  /** Says one line, in each channel in its turn. */
  say(): void;
  /** What was said and what stands, by place. */
  places(): readonly Place[];
}

/** Channels of a server with replies, and languages of those that are linked. */
const REPLIED = 3;
const LINKED = ['en', 'es', 'de'];

interface Line extends Said {
  readonly channelId: string;
}

interface Server {
  readonly guild: FakeGuild;
  readonly replied: readonly FakeChannel[];
  readonly linked: readonly FakeChannel[];
}

const shardOf = (id: string, shards: number): number =>
  Number((BigInt(id) >> 22n) % BigInt(shards));

/** Makes a server of a shard: its id is of a time, which is waited for. */
const makeGuild = (discord: DiscordFake, shard: number, shards: number): FakeGuild => {
  while (shardOf(discord.clock.snowflake(), shards) !== shard);
  return discord.guild({ name: `Babel ${shard}` });
};

export const startDiscordTalk = (discord: DiscordFake, shards: number): DiscordTalk => {
  const servers = Array.from({ length: shards }, (_, shard): Server => {
    const guild = makeGuild(discord, shard, shards);
    return {
      guild,
      replied: Array.from({ length: REPLIED }, (_each, at) =>
        guild.channel({ name: `replied-${at}` }),
      ),
      linked: LINKED.map((name) => guild.channel({ name })),
    };
  });
  /** Servers take turns, so that each shard has some of every second. */
  const turns = Array.from({ length: REPLIED + LINKED.length }, (_, at) =>
    servers.map(({ guild, replied, linked }) => {
      const language = LINKED[at - REPLIED];
      const channel = replied[at] ?? linked[at - REPLIED]!;
      return { guild, channel, language: language ?? 'en' };
    }),
  ).flat();
  const people = ['Ada', 'Bob', 'Eva', 'Kim'].map((name) => discord.user({ name }));
  const said: Line[] = [];
  const mirrors = createMirrorsShown();

  const oursIn = (channel: FakeChannel): readonly FakeMessage[] =>
    channel.messages.filter(
      ({ state: { author, type } }) =>
        author.id === discord.botUser.id && (type === 0 || type === 19),
    );
  const saidIn = (channels: readonly FakeChannel[]): readonly Line[] => {
    const ids = new Set(channels.map(({ id }) => id));
    return said.filter(({ channelId }) => ids.has(channelId));
  };

  return {
    watch: async () => {
      for (const { guild, replied, linked } of servers) {
        for (const channel of replied)
          await useCommand(discord, { guild, channel }, 'autotranslate reply', { languages: 'ja' });
        const channels = linked.map(({ id, name }) => `<#${id}> ${name}`).join(', ');
        const at = { guild, channel: linked[0]! };
        await useCommand(discord, at, 'autotranslate mirror', { channels });
      }
    },
    say: () => {
      const number = said.length + 1;
      const { guild, channel, language } = turns[said.length % turns.length]!;
      const words = SENTENCES[language]!(`L${number}L`);
      const { id } = channel.say(people[number % people.length]!, words);
      mirrors.note(guild.id, channel.id, id);
      said.push({ id, channelId: channel.id, atMs: snowflakeTime(id) });
    },
    places: () =>
      servers.flatMap(({ guild, replied, linked }): Place[] => [
        ...replied.map((channel) => ({
          name: `${guild.name} #${channel.name}`,
          said: saidIn([channel]),
          shown: oursIn(channel).flatMap(({ id, replyTo }) =>
            replyTo === undefined ? [] : [{ source: replyTo, atMs: snowflakeTime(id) }],
          ),
        })),
        ...linked.map((to) => ({
          name: `${guild.name} #${to.name}`,
          said: saidIn(linked.filter((from) => from !== to)),
          shown: oursIn(to).flatMap((message) =>
            mirrors.in(message).map(({ id }) => ({ source: id, atMs: snowflakeTime(message.id) })),
          ),
        })),
      ]),
  };
};
