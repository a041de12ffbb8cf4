import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Events } from 'discord.js';
import { expect, it, test } from 'vitest';
import {
  createClient,
  createLogBackoff,
  destroy,
} from '../../../../adapters/discord/inbound/client.ts';
import { startDiscordFake, type DiscordFake } from '../../../fakes/discord/index.ts';

/** Longer than the library waits before it connects again. */
const RECONNECTED_MS = 1_000;

const open = (discord: DiscordFake) => {
  const client = createClient(
    { url: discord.url, requestsPerSecond: 50 },
    {
      id: discord.applicationId,
      name: 'Dragoman',
      botId: discord.applicationId,
      botName: 'Dragoman',
      hasContentIntent: true,
      allowsAccounts: false,
    },
    { id: 0, count: 1, waitForIdentify: async () => {} },
  );
  client.login(discord.token).catch(() => undefined);
  return client;
};

it('connects no more once it is destroyed, though it was about to', async () => {
  await using discord = await startDiscordFake({ speed: 100 });
  const client = open(discord);
  await discord.online();
  const reconnecting = once(client, Events.ShardReconnecting);
  discord.gateway.drop();
  await reconnecting;
  await destroy(client);
  await sleep(RECONNECTED_MS);
  expect(discord.gateway.log.map(({ what }) => what)).toEqual(['identified', 'closed']);
});

it('connects no more once it is destroyed, though it waited to be ready', async () => {
  await using discord = await startDiscordFake({ speed: 100 });
  discord.gateway.spoil('READY', 'drop');
  const client = open(discord);
  await discord.online();
  await destroy(client);
  await sleep(RECONNECTED_MS);
  expect(discord.gateway.log.map(({ what }) => what)).toEqual(['identified', 'closed']);
});

test('a fault that lasts is logged at once and then more and more rarely', () => {
  let ms = 1_000_000;
  const shouldLog = createLogBackoff(() => ms);
  const countIn = (minutes: number, fault: string): number => {
    let logged = 0;
    for (let half = 0; half < minutes * 120; half += 1) {
      if (shouldLog(fault)) logged += 1;
      ms += 500;
    }
    return logged;
  };
  expect(shouldLog('reconnecting 0')).toBe(true);
  expect(shouldLog('error 0')).toBe(true);
  expect(countIn(10, 'error 0')).toBeLessThan(10);
  expect(countIn(60, 'error 0')).toBeLessThan(14);
  ms += 60_000;
  expect(shouldLog('error 0')).toBe(true);
});
