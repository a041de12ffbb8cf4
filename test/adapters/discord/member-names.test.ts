import { describe, expect, it } from 'vitest';
import type { Api } from '../../../adapters/discord/api.ts';
import { channelOf } from '../../../adapters/discord/ids.ts';
import type { RawMessage } from '../../../adapters/discord/inbound/message-reader.ts';
import { createMemberNames } from '../../../adapters/discord/memory.ts';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
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

describe('the roles of a member', () => {
  it('are those of their latest message, also when it is read again', async () => {
    const { server, members } = start();
    members.note({ ...raw, guild_id: GUILD, member: { nick: 'Ann', roles: ['9'] } });
    expect((await members.complete(raw, HERE)).member?.roles).toEqual(['9']);
    expect(server.asked).toBe(0);
  });
});
