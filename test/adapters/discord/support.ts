import { pino } from 'pino';
import { createDiscordAdapter, type DiscordOptions } from '../../../adapters/discord/adapter.ts';
import type { Choice, CommandInfo } from '../../../src/model/command-info.ts';
import type { Channel, MessageRef, Space } from '../../../src/model/place.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Adapter, Core } from '../../../src/adapter.ts';
import type { Invocation, PressInvocation } from '../../../src/ports/platform.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import type { Services } from '../../../src/command/services.ts';
import type { ChannelFeed, ChannelFeedListener } from '../../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { startDiscordFake, type DiscordFake } from '../../fakes/discord/index.ts';
import { rich } from '../../fakes/rich-text.ts';
import { keepNoAnswers, openFakeDeliveries } from '../../fakes/deliveries.ts';
import { createLoneProcess } from '../../fakes/processes.ts';
import { createFakeDictations } from '../../fakes/dictation.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

const info = (name: string, part: Partial<CommandInfo> = {}): CommandInfo => ({
  name,
  summary: `Does ${name}`,
  options: [],
  slow: false,
  private: false,
  ...part,
});

const option = { description: 'Something', required: false, autocompletes: false } as const;

const COMMANDS: readonly CommandInfo[] = [
  info('translate', {
    menu: 'Translate',
    options: [
      { ...option, name: 'text', kind: 'text', required: true, maxLength: 500 },
      { ...option, name: 'to', kind: 'text', autocompletes: true },
    ],
  }),
  info('transcribe', { options: [{ ...option, name: 'audio', kind: 'attachment' }] }),
  info('secret', { private: true, privatePresses: ['secret choose'] }),
  info('glossary add', {
    moderators: true,
    options: [{ ...option, name: 'term', kind: 'text', required: true }],
  }),
  info('glossary list'),
  info('autotranslate', {
    needs: 'watch',
    moderators: true,
    options: [{ ...option, name: 'channel', kind: 'channel' }],
  }),
];

/** What the adapter told of what people write, in its order. */
export type Told =
  | { readonly what: 'seen'; readonly message: Message }
  | { readonly what: 'gone'; readonly refs: readonly MessageRef[] }
  | { readonly what: 'reacted'; readonly ref: MessageRef; emoji: string; present: boolean }
  | { readonly what: 'banned' | 'unbanned'; readonly space: Space; authorId: string; name?: string }
  | { readonly what: 'missed'; readonly channel: Channel; readonly newest: string | undefined }
  | { readonly what: 'channelGone'; readonly channel: Channel }
  | { readonly what: 'renamed'; readonly space: Space; former: string; name: string }
  | { readonly what: 'ageRestriction'; readonly channel: Channel; isRestricted: boolean }
  | { readonly what: 'accessChanged'; readonly space: Space }
  | { readonly what: 'spaceGone'; readonly space: Space };

export interface TestCore extends Core {
  readonly told: Told[];
  readonly logged: string[];
  readonly invocations: Invocation[];
  readonly presses: PressInvocation[];
  /** What the core does when a command is used. */
  work: (invocation: Invocation | PressInvocation) => Promise<void>;
  completing: () => Promise<readonly Choice[]>;
  watching: (channel: Channel) => boolean;
  keeping: (message: Message) => Promise<void>;
  watched: ChannelWatch[];
  /** Channels of which the adapter told that other people are there. */
  readonly roomsChanged: Channel[];
  reading: (channel: Channel) => boolean;
  readonly written: Message[];
}

export const createTestCore = (commands: readonly CommandInfo[] = COMMANDS): TestCore => {
  const told: Told[] = [];
  const logged: string[] = [];
  const feedListener: ChannelFeedListener = {
    follows: (channel) => core.watching(channel),
    spaceOf: ({ space }) => space,
    messageChanged: async (message) => {
      told.push({ what: 'seen', message });
      await core.keeping(message);
    },
    pinChanged: async () => undefined,
    threadChanged: async () => undefined,
    messagesDeleted: async (refs) => void told.push({ what: 'gone', refs }),
    reactionChanged: async (ref, emoji, present) =>
      void told.push({ what: 'reacted', ref, emoji, present }),
    memberBanned: async (space, authorId, name) =>
      void told.push({ what: 'banned', space, authorId, ...(name === undefined ? {} : { name }) }),
    memberUnbanned: async (space, authorId) =>
      void told.push({ what: 'unbanned', space, authorId }),
    readMissed: async () => true,
    connected: () => undefined,
    messagesMissed: (channels) => {
      for (const each of channels) told.push({ what: 'missed', ...each });
    },
    channelDeleted: async (channel) => void told.push({ what: 'channelGone', channel }),
    ageRestrictionChanged: async (channel, isRestricted) =>
      void told.push({ what: 'ageRestriction', channel, isRestricted }),
    spaceRenamed: async (space, former, name) =>
      void told.push({ what: 'renamed', space, former, name }),
    accessChanged: async (space) => void told.push({ what: 'accessChanged', space }),
    spaceJoined: async () => undefined,
    spaceLeft: async (space) => void told.push({ what: 'spaceGone', space }),
  };
  const core: TestCore = {
    metrics: createMetrics(),
    receives: true,
    ops: undefined as never,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    texts,
    feedListener,
    rooms: {
      spaceReady: async () => true,
      spaceMoves: async () => undefined,
      spaceLost: () => undefined,
      peopleChanged: (room) => void core.roomsChanged.push(room),
      reads: (channel) => core.reading(channel),
      wrote: (message) => void core.written.push(message),
    },
    services: {
      status: async () => ({ builtIn: true, reachable: true, engines: [] }),
      spaces: { of: async () => ({}) },
      watches: {
        list: ({ id }: Space) => core.watched.filter((one) => one.channel.space.id === id),
      },
    } as unknown as Services,
    commands: () => commands,
    elsewhere: () => [],
    admits: async () => true,
    dispatch: async (invocation) => {
      core.invocations.push(invocation);
      await core.work(invocation).catch(() => undefined);
    },
    press: async (invocation) => {
      core.presses.push(invocation);
      await core.work(invocation).catch(() => undefined);
    },
    complete: async () => core.completing(),
    translateLine: async function* translateLine() {},
    openDictation: createFakeDictations().open,
    openDeliveries: openFakeDeliveries,
    keepOpenAnswers: keepNoAnswers,
    processes: createLoneProcess(),
    ready: () => ({ discord: true }),
    told,
    logged,
    invocations: [],
    presses: [],
    watched: [],
    roomsChanged: [],
    reading: () => false,
    written: [],
    work: async ({ answer }) => answer.show({ text: rich('done') }),
    completing: async () => [],
    watching: () => true,
    keeping: async () => undefined,
  };
  return core;
};

export interface TestDiscord extends AsyncDisposable {
  readonly fake: DiscordFake;
  readonly core: TestCore;
  readonly adapter: Adapter;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
}

type FakeOptions = Parameters<typeof startDiscordFake>[0];

export const optionsFor = (fake: DiscordFake, part: Partial<DiscordOptions> = {}) => ({
  token: fake.token,
  url: fake.url,
  requestsPerSecond: 10_000,
  random: () => 0,
  identifyEveryMs: 1,
  ...part,
});

/** The adapter, connected to a Discord of our own. */
export const openDiscord = async (
  fakeOptions: FakeOptions = {},
  part: Partial<DiscordOptions> = {},
  prepare: (fake: DiscordFake) => void = () => undefined,
): Promise<TestDiscord> => {
  const fake = await startDiscordFake(fakeOptions);
  prepare(fake);
  const core = createTestCore();
  const adapter = createDiscordAdapter(optionsFor(fake, part), core);
  await adapter.start();
  const { feed, mirrors } = adapter.platform;
  if (!feed || !mirrors) throw new Error('Discord has no feed');
  return {
    fake,
    core,
    adapter,
    feed,
    mirrors,
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
};

export const placeOf = (
  guild: { readonly id: string },
  channel: { readonly id: string },
): Channel => ({
  space: { platform: 'discord', id: guild.id },
  id: channel.id,
});

export const never = (): AbortSignal => new AbortController().signal;
