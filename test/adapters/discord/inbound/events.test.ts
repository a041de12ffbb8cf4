import { setImmediate } from 'node:timers/promises';
import type { GatewayDispatchEvents } from 'discord.js';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createClient, createOn } from '../../../../adapters/discord/inbound/client.ts';
import {
  createMessageReader,
  type RawMessage,
} from '../../../../adapters/discord/inbound/message-reader.ts';
import {
  listenToMessages,
  listenToReactions,
} from '../../../../adapters/discord/inbound/messages.ts';
import { listenToPlaces } from '../../../../adapters/discord/inbound/places.ts';
import { createThreadParents } from '../../../../adapters/discord/thread-parents.ts';
import type { Channel, MessageRef } from '../../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../../src/ports/channel-feed.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { WATCHER } from '../../../fakes/core.ts';

/** Events as the gateway sends them, where our Discord never sends them in such a form. */

const [GUILD, CHANNEL, THREAD, MESSAGE] = [
  '1573312802024587001',
  '1573312802024587002',
  '1573312802024587003',
  '1573312802024587004',
] as const;
const [BOT, ANN] = ['1573312802024587010', '1573312802024587011'] as const;
const HERE = { guild_id: GUILD, channel_id: CHANNEL };

const setUp = ({ hasContentIntent = true } = {}) => {
  const applicationId = BOT;
  const application = {
    id: applicationId,
    botId: BOT,
    name: 'x',
    botName: 'x#0',
    hasContentIntent,
    allowsAccounts: true,
  };
  const client = createClient({ url: undefined, requestsPerSecond: 50 }, application);
  const told: string[] = [];
  const lost: string[] = [];
  const gone: string[] = [];
  const noted: string[] = [];
  const fetched: MessageRef[] = [];
  const places: Channel[] = [];
  const watching = { isHere: true };
  const listener: ChannelFeedListener = {
    ...WATCHER,
    follows: () => watching.isHere,
    messageChanged: async ({ ref, text }) => {
      places.push(ref.channel);
      told.push(`seen ${ref.id} ${plainText(text)}`);
    },
    threadChanged: async ({ id }, change) => void told.push(`${id} ${JSON.stringify(change)}`),
    messagesDeleted: async (refs) => void told.push(`gone ${refs.map(({ id }) => id).join(' ')}`),
    reactionChanged: async ({ id }, emoji, present) =>
      void told.push(`${present ? '+' : '-'} ${emoji} ${id}`),
    channelDeleted: async ({ id }) => void told.push(`channel gone ${id}`),
    ageRestrictionChanged: async ({ id }, isRestricted) =>
      void told.push(`${isRestricted ? 'restricted' : 'open'} ${id}`),
    spaceLeft: async ({ id }) => void told.push(`space gone ${id}`),
  };
  const openFile = () => {
    throw new Error('no files here');
  };
  const log = pino({ enabled: false });
  const deps = {
    listener,
    log,
    botId: BOT,
    reader: createMessageReader({
      application: () => application,
      openFile,
      renew: async () => undefined,
    }),
    members: { note: ({ id }: RawMessage) => void noted.push(id) },
    interactions: { lost: (ids: readonly string[]) => void lost.push(...ids) },
    fetch: async (ref: MessageRef) => {
      fetched.push(ref);
      return messageOf({ id: ref.id, content: 'fetched' });
    },
    hasContentIntent,
    parents: createThreadParents(),
    rooms: { reads: () => false, wrote: () => undefined },
    threadGone: (id: string) => void gone.push(id),
    webhooksChanged: () => undefined,
    permissionsChanged: () => undefined,
    welcome: async () => undefined,
  };
  const on = createOn(client, log, () => true);
  listenToMessages(on, deps);
  listenToReactions(on, deps);
  listenToPlaces(on, client, deps);
  const send = async (event: `${GatewayDispatchEvents}`, data: unknown): Promise<void> => {
    client.ws.emit(event, data, 0);
    // Nothing of it waits for anything but promises.
    await setImmediate();
  };
  return { send, told, lost, gone, noted, fetched, places, watching };
};

const messageOf = (part: object = {}): RawMessage =>
  ({
    ...HERE,
    id: MESSAGE,
    type: 0,
    author: { id: ANN, username: 'ann', discriminator: '0', avatar: null, global_name: null },
    content: 'hello',
    attachments: [],
    embeds: [],
    edited_timestamp: null,
    ...part,
  }) as unknown as RawMessage;

const reaction = (userId: string, emoji: object) => ({
  ...HERE,
  user_id: userId,
  message_id: MESSAGE,
  emoji,
});

test('reactions of our own are not told, neither as they come nor as they go', async () => {
  const { send, told } = setUp();
  const flag = { id: null, name: '🇯🇵' };
  for (const user of [BOT, ANN]) {
    await send('MESSAGE_REACTION_ADD', reaction(user, flag));
    await send('MESSAGE_REACTION_REMOVE', reaction(user, flag));
  }
  expect(told).toEqual([`+ 🇯🇵 ${MESSAGE}`, `- 🇯🇵 ${MESSAGE}`]);
});

test('an emoji of a server’s own goes by its id, which stays when it is renamed', async () => {
  const { send, told } = setUp();
  await send('MESSAGE_REACTION_ADD', reaction(ANN, { id: '1573312802024587020', name: 'tea' }));
  expect(told).toEqual([`+ 1573312802024587020 ${MESSAGE}`]);
});

test('all reactions taken away at once are told emoji by emoji, and once', async () => {
  const { send, told } = setUp();
  for (const name of ['🇯🇵', '🇫🇷'])
    await send('MESSAGE_REACTION_ADD', reaction(ANN, { id: null, name }));
  told.length = 0;
  for (let times = 0; times < 2; times += 1)
    await send('MESSAGE_REACTION_REMOVE_ALL', { ...HERE, message_id: MESSAGE });
  expect(told).toEqual([`- 🇯🇵 ${MESSAGE}`, `- 🇫🇷 ${MESSAGE}`]);
});

test('an update that does not tell the whole message is looked at where somebody watches', async () => {
  const { send, told, fetched, watching } = setUp();
  const update = { ...HERE, id: MESSAGE, embeds: [] };
  watching.isHere = false;
  await send('MESSAGE_UPDATE', update);
  expect(fetched).toEqual([]);
  watching.isHere = true;
  await send('MESSAGE_UPDATE', update);
  expect(fetched).toMatchObject([{ id: MESSAGE }]);
  expect(told).toEqual([`seen ${MESSAGE} fetched`]);
});

test('a message that comes after its purge is not told', async () => {
  const { send, told } = setUp();
  await send('MESSAGE_DELETE_BULK', { ...HERE, ids: [MESSAGE] });
  await send('MESSAGE_CREATE', messageOf());
  expect(told).toEqual([`gone ${MESSAGE}`]);
});

test('the last edit counts, however many older ones come after it', async () => {
  const { send, told, fetched } = setUp();
  for (const second of [3, 1, 2])
    await send(
      'MESSAGE_UPDATE',
      messageOf({ content: `${second}`, edited_timestamp: `2026-01-01T00:00:0${second}Z` }),
    );
  expect(told).toEqual([`seen ${MESSAGE} 3`, `seen ${MESSAGE} fetched`, `seen ${MESSAGE} fetched`]);
  expect(fetched).toHaveLength(2);
});

test('the same edit told again is taken as it is told', async () => {
  const { send, fetched } = setUp();
  for (let times = 0; times < 2; times += 1)
    await send('MESSAGE_UPDATE', messageOf({ edited_timestamp: '2026-01-01T00:00:01Z' }));
  expect(fetched).toEqual([]);
});

test('without the Message Content intent, an edit that shows nothing is not taken for an empty text', async () => {
  const { send, told } = setUp({ hasContentIntent: false });
  await send('MESSAGE_UPDATE', messageOf({ content: '' }));
  await send('MESSAGE_UPDATE', messageOf({ content: 'with a mention' }));
  expect(told).toEqual([`seen ${MESSAGE} with a mention`]);
});

test('what is told of people with their messages is noted, new and edited', async () => {
  const { send, noted } = setUp();
  await send('MESSAGE_CREATE', messageOf());
  await send('MESSAGE_UPDATE', messageOf());
  expect(noted).toEqual([MESSAGE, MESSAGE]);
});

test('whatever goes ends the answers that stand in it', async () => {
  const { send, lost } = setUp();
  await send('MESSAGE_DELETE', { ...HERE, id: MESSAGE });
  await send('MESSAGE_DELETE_BULK', { ...HERE, ids: ['1', '2'] });
  await send('THREAD_DELETE', { id: THREAD, guild_id: GUILD, parent_id: CHANNEL });
  await send('CHANNEL_DELETE', { id: CHANNEL, guild_id: GUILD });
  await send('GUILD_DELETE', { id: GUILD });
  expect(lost).toEqual([MESSAGE, '1', '2', THREAD, CHANNEL, GUILD]);
});

test('a server that is out of order is not taken for one that was left', async () => {
  const { send, told, lost } = setUp();
  await send('GUILD_DELETE', { id: GUILD, unavailable: true });
  expect([told, lost]).toEqual([[], []]);
  await send('GUILD_DELETE', { id: GUILD });
  expect(told).toEqual([`space gone ${GUILD}`]);
});

test('a thread that is deleted is no standing thread any more', async () => {
  const { send, told, gone } = setUp();
  await send('THREAD_DELETE', { id: THREAD, guild_id: GUILD, parent_id: CHANNEL });
  expect(gone).toEqual([THREAD]);
  expect(told).toEqual([`channel gone ${THREAD}`]);
});

test('threads that come into sight belong to their channels', async () => {
  const { send, places } = setUp();
  const threads = [{ id: THREAD, parent_id: CHANNEL, thread_metadata: { archived: false } }];
  await send('THREAD_LIST_SYNC', { guild_id: GUILD, threads });
  await send('MESSAGE_CREATE', messageOf({ channel_id: THREAD }));
  expect(places).toMatchObject([{ id: THREAD, parentId: CHANNEL }]);
});

test('a thread belongs to its channel also while it is archived', async () => {
  const { send, places } = setUp();
  for (const archived of [false, true]) {
    const thread = {
      id: THREAD,
      guild_id: GUILD,
      parent_id: CHANNEL,
      thread_metadata: { archived },
    };
    await send('THREAD_UPDATE', thread);
    await send('MESSAGE_UPDATE', messageOf({ channel_id: THREAD }));
  }
  expect(places.map(({ parentId }) => parentId)).toEqual([CHANNEL, CHANNEL]);
});
