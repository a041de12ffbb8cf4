import { describe, expect, it } from 'vitest';
import type { Api } from '../../../adapters/discord/api.ts';
import { DiscordError } from '../../../adapters/discord/errors.ts';
import { channelOf } from '../../../adapters/discord/ids.ts';
import type { RawMessage } from '../../../adapters/discord/inbound/message-reader.ts';
import { createMemberNames, NO_MEMBER } from '../../../adapters/discord/member-names.ts';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import { mention, paragraph } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createTestClock } from '../../fakes/clock.ts';

const GUILD = '1';
const HERE = channelOf(GUILD, '10');
const USER = { id: '7', username: 'ann', global_name: null, avatar: null };
const raw = { id: '100', channel_id: HERE.id, author: USER, mentions: [] } as unknown as RawMessage;

/** A process that hears nothing of a server, in which the member has a nickname. */
const start = () => {
  const clock = createTestClock();
  const server = { nick: 'Ann', asked: 0, isAway: false };
  const send = async () => {
    server.asked += 1;
    if (server.isAway) throw new AppError('unavailable', 'away', { retryable: true });
    return { user: USER, nick: server.nick, avatar: null };
  };
  const members = createMemberNames({ send } as unknown as Api, clock);
  return {
    server,
    members,
    clock,
    nickOf: async () => (await members.complete(raw, HERE)).member?.nick,
  };
};

describe('people of whom a text may name some who left', () => {
  const mentions = Array.from({ length: 60 }, (_, at) => mention('discord', 'member', `${at + 1}`));
  const asking = (discordCode: number | undefined = NO_MEMBER[0]) => {
    const asked: string[] = [];
    const send = async (_: string, route: string) => {
      asked.push(route);
      if (route.startsWith('/guilds'))
        throw new DiscordError('not-found', 'no member', { discordCode });
      return { ...USER, username: '<@1> eve' };
    };
    return { asked, members: createMemberNames({ send } as unknown as Api, createTestClock()) };
  };

  it('are few, each is asked for once, and their names are words', async () => {
    const { asked, members } = asking();
    const shown = await members.withStrangers(HERE, [paragraph(...mentions)]);
    expect(plainText(shown).match(/@<@1> eve/g)).toHaveLength(25);
    expect(asked).toHaveLength(50);
    await members.withStrangers(HERE, [paragraph(...mentions)]);
    expect(asked).toHaveLength(50);
  });

  it('are still mentioned where Discord does not say whether they left', async () => {
    const { asked, members } = asking(0);
    const shown = await members.withStrangers(HERE, [paragraph(...mentions)]);
    expect(shown).toEqual([paragraph(...mentions)]);
    expect(asked).toHaveLength(25);
  });

  it('are nobody in a direct conversation', async () => {
    const { asked, members } = asking();
    const tree = [paragraph(...mentions)];
    expect(await members.withStrangers(channelOf(undefined, '10'), tree)).toBe(tree);
    expect(asked).toEqual([]);
  });
});

describe('the name of a member whose server another process has', () => {
  it('is asked for once in ten minutes, as it may have changed', async () => {
    const { server, clock, nickOf } = start();
    expect(await nickOf()).toBe('Ann');
    server.nick = 'Anna';
    await clock.advance(9 * MINUTE_MS);
    expect(await nickOf()).toBe('Ann');
    expect(server.asked).toBe(1);
    await clock.advance(MINUTE_MS);
    expect(await nickOf()).toBe('Anna');
  });

  it('is asked for once in ten minutes where somebody mentions them, too', async () => {
    const { server, clock, members } = start();
    const name = async () => members.lookUp(GUILD, USER.id);
    expect([await name(), await name(), server.asked]).toEqual(['Ann', 'Ann', 1]);
    server.nick = 'Anna';
    await clock.advance(10 * MINUTE_MS);
    expect(await name()).toBe('Anna');
  });

  it('stays the last known one while it cannot be asked for', async () => {
    const { server, clock, members } = start();
    expect(await members.lookUp(GUILD, USER.id)).toBe('Ann');
    server.isAway = true;
    await clock.advance(10 * MINUTE_MS);
    expect(await members.lookUp(GUILD, USER.id)).toBe('Ann');
    expect(server.asked).toBe(2);
  });
});

describe('the authors of many messages', () => {
  const raws = Array.from({ length: 25 }, (_, at) => ({
    ...raw,
    id: String(at),
    author: { ...USER, id: String(at), username: `ann ${at}` },
  })) as unknown as readonly RawMessage[];

  it('are asked for one by one where that is not possible together, a few at once', async () => {
    let [asking, most] = [0, 0];
    const send = async () => {
      asking += 1;
      most = Math.max(most, asking);
      await Promise.resolve();
      asking -= 1;
      return { user: USER, nick: 'Ann', avatar: null };
    };
    const members = createMemberNames({ send } as unknown as Api, createTestClock());
    const completed = await members.completeAll(raws, HERE);
    expect(completed.map(({ id, member }) => `${id} ${member?.nick}`)).toEqual(
      raws.map(({ id }) => `${id} Ann`),
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  });

  it('are asked for together but for those who are known', async () => {
    const asked: (readonly string[])[] = [];
    const members = createMemberNames(
      { send: async () => Promise.reject(new Error('not one by one')) } as unknown as Api,
      createTestClock(),
      async (_, ids) => {
        asked.push(ids);
        return new Map(ids.map((id) => [id, { nick: `Ann ${id}`, avatar: null, roles: [] }]));
      },
    );
    members.note({ ...raws[0]!, guild_id: GUILD, member: { nick: 'Known', roles: ['9'] } });
    const nicks = async () =>
      (await members.completeAll(raws, HERE)).map(({ member }) => member?.nick);
    const expected = ['Known', ...raws.slice(1).map(({ id }) => `Ann ${id}`)];
    expect(await nicks()).toEqual(expected);
    expect(await nicks()).toEqual(expected);
    expect(asked).toEqual([raws.slice(1).map(({ author }) => author.id)]);
  });
});

describe('the roles of a member', () => {
  it('are those of their latest message, also when it is read again', async () => {
    const { server, members } = start();
    members.note({ ...raw, guild_id: GUILD, member: { nick: 'Ann', roles: ['9'] } });
    expect((await members.complete(raw, HERE)).member?.roles).toEqual(['9']);
    expect(server.asked).toBe(0);
  });
});
