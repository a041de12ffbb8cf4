import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createDiscordApi } from '../../../adapters/discord/api.ts';
import { createSharedLimits } from '../../../adapters/discord/shared-limits.ts';
import type { Quota } from '../../../src/ports/processes.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createEmbeddedQuota } from '../../../src/store/quota.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { optionsFor } from './support.ts';
import { realClock } from '../../../src/async/clock.ts';

const log = createLog('silent');

describe('the requests of several processes', () => {
  it('take from one rate, but for those without the bot’s token', async () => {
    await using fake = await startDiscordFake({ limits: 'off' });
    const taken: unknown[] = [];
    const quota: Quota = {
      take: async (name, rate) => void taken.push([name, rate]),
      tryTake: async () => true,
      hold: async () => {},
    };
    const processes = { quota, isAlone: false };
    const limits = createSharedLimits({ processes, requestsPerSecond: 50, log, clock: realClock });
    const api = createDiscordApi({ ...optionsFor(fake), limits });
    const route = `/channels/${fake.guild().channel().id}` as const;
    await api.send('GET', route);
    await api.send('GET', route);
    const without = { auth: false, body: {} };
    for (const other of ['/interactions/1/x/callback', '/webhooks/1/x'] as const)
      await expect(api.sendOnce('POST', other, without)).rejects.toThrow('404');
    const rate = ['discord-requests', { perSecond: 40, burst: 5 }];
    expect(taken).toEqual([rate, rate]);
  });
});

describe('a refusal of all requests', () => {
  it('has all processes wait for as long as Discord says, or a second', async () => {
    const held: unknown[] = [];
    const quota: Quota = {
      take: async () => {},
      tryTake: async () => true,
      hold: async (name, ms) => void held.push([name, ms]),
    };
    const refuse = (isAlone: boolean, headers: Record<string, string>): void => {
      const processes = { quota, isAlone };
      const rest = new EventEmitter();
      createSharedLimits({ processes, requestsPerSecond: 50, log, clock: realClock }).watch(
        rest as never,
      );
      rest.emit('response', {}, { status: 429, headers: new Headers(headers) });
    };
    refuse(false, { 'retry-after': '3', 'x-ratelimit-global': 'true' });
    for (const bad of ['-1', 'soon', '', 'Infinity'])
      refuse(false, { 'retry-after': bad, 'x-ratelimit-global': 'true' });
    refuse(false, { 'x-ratelimit-global': 'true' });
    refuse(false, { 'retry-after': '3' });
    refuse(true, { 'retry-after': '3', 'x-ratelimit-global': 'true' });
    const second = ['discord-requests', 1_000];
    expect(held).toEqual([['discord-requests', 3_000], second, second, second, second, second]);
  });
});

describe('invalid requests', () => {
  it('end all requests for a minute before Discord bans the address', async () => {
    const clock = createTestClock();
    const processes = { quota: createEmbeddedQuota(clock), isAlone: true };
    const limits = createSharedLimits({ processes, requestsPerSecond: 50, log, clock });
    const rest = new EventEmitter();
    limits.watch(rest as never);
    const refuse = async (times: number, scope: string): Promise<void> => {
      const headers = new Headers({ 'x-ratelimit-scope': scope });
      for (let count = 0; count < times; count += 1)
        rest.emit('response', {}, { status: 429, headers });
      await new Promise(setImmediate);
    };
    await refuse(9_000, 'shared');
    await refuse(8_000, 'user');
    await limits.wait(true, undefined);
    await refuse(1, 'user');
    await expect(limits.wait(true, undefined)).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 60_000,
    });
    await clock.advance(60_000);
    await limits.wait(true, undefined);
  });
});
