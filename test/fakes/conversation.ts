import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { footersIn, isOfSource } from '../../adapters/discord/mirrors/parts.ts';
import type { MessageRef } from '../../src/model/place.ts';
import type { Bot } from './bot.ts';
import type { FakeChannel, FakeMessage } from './discord/index.ts';

/** People who talk in watched channels: two that are translated in place, and two that are linked. */
export interface Conversation {
  /** Says one line in one of the channels, each in its turn. */
  say(): void;
  /** Says lines until `stopped`, about one each `everyMs`. */
  talk(everyMs: number, stopped: AbortSignal): Promise<void>;
  /** Resolves when each line was answered; fails with what is missing. */
  answered(timeoutMs: number): Promise<void>;
  /** What is wrong: lines without an answer, with several, or answered out of order. */
  faults(): string[];
  readonly lines: number;
}

interface Answers {
  readonly channel: FakeChannel;
  readonly said: FakeMessage[];
  /** Ids of the lines that were answered, in the order of the answers. */
  readonly answered: () => string[];
}

/** Where the next lines are said: less in the linked channels, as Discord allows less there. */
const TURNS = [0, 1, 0, 1, 2];

const repliesIn = (channel: FakeChannel) => (): string[] =>
  channel.messages.flatMap(({ replyTo }) => replyTo ?? []);

/** Finds what the copies in a channel were made of; several of them stand in what was put together. */
const copiesIn = (
  channel: FakeChannel,
  refOf: (id: string) => MessageRef,
  said: readonly FakeMessage[],
) => {
  /** Ids of the sources by the text of a message, which is read once. */
  const read = new Map<string, string[]>();
  const sourcesIn = (content: string): string[] => {
    const ids = footersIn(content).flatMap(
      ({ line }) => said.find(({ id }) => isOfSource(line, refOf(id)))?.id ?? [],
    );
    read.set(content, ids);
    return ids;
  };
  return (): string[] =>
    channel.messages.flatMap(({ content }) => read.get(content) ?? sourcesIn(content));
};

export const startConversation = async (bot: Bot): Promise<Conversation> => {
  const guild = bot.discord.guild({ name: 'Babel' });
  const [north, south, english, spanish] = ['north', 'south', 'english', 'spanish'].map((name) =>
    guild.channel({ name }),
  ) as [FakeChannel, FakeChannel, FakeChannel, FakeChannel];
  const at = { guild, channel: guild.channel({ name: 'moderators' }) };
  for (const channel of [north, south])
    await bot.use(at, 'autotranslate reply', { languages: 'ja', channel });
  await bot.use(at, 'autotranslate mirror', {
    channels: `<#${english.id}> en, <#${spanish.id}> es`,
  });

  const linked: FakeMessage[] = [];
  const refOf = (id: string): MessageRef => ({
    channel: { space: { platform: 'discord', id: guild.id }, id: english.id },
    id,
  });
  const places: Answers[] = [
    { channel: north, said: [], answered: repliesIn(north) },
    { channel: south, said: [], answered: repliesIn(south) },
    { channel: english, said: linked, answered: copiesIn(spanish, refOf, linked) },
  ];
  const people = ['Ada', 'Bob', 'Eva'].map((name) => bot.discord.user({ name }));
  let lines = 0;

  const conversation: Conversation = {
    say: () => {
      const { channel, said } = places[TURNS[lines % TURNS.length] ?? 0] as Answers;
      const by = people[lines % people.length] ?? guild.owner;
      lines += 1;
      said.push(channel.say(by, `This is line ${lines} of what we talk about`));
    },
    talk: async (everyMs, stopped) => {
      while (!stopped.aborted) {
        conversation.say();
        await delay(everyMs);
      }
    },
    answered: (timeoutMs) =>
      bot.discord.until(
        () => places.every(({ said, answered }) => answered().length >= said.length),
        timeoutMs,
      ),
    faults: () =>
      places.flatMap(({ channel, said, answered }) => {
        const expected = said.map(({ id }) => id);
        const got = answered();
        const lost = expected.filter((id) => !got.includes(id));
        const twice = got.filter((id, index) => got.indexOf(id) !== index);
        const isInOrder = got.every((id, index) => id === expected[index]);
        return [
          ...(lost.length > 0 ? [`#${channel.name}: ${lost.length} lost`] : []),
          ...(twice.length > 0 ? [`#${channel.name}: ${twice.length} answered twice`] : []),
          ...(isInOrder || lost.length + twice.length > 0
            ? []
            : [`#${channel.name}: out of order`]),
        ];
      }),
    get lines() {
      return lines;
    },
  };
  return conversation;
};

/** How many rows of the inbox ended in which way. */
export const outcomesIn = (databaseFile: string): Record<string, number> => {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare('SELECT state, count(*) AS count FROM inbox GROUP BY state').all();
  database.close();
  return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
};
