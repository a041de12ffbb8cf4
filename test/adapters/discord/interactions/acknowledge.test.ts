import { RESTJSONErrorCodes } from 'discord.js';
import { expect, test } from 'vitest';
import type { Api } from '../../../../adapters/discord/api.ts';
import { DiscordError } from '../../../../adapters/discord/errors.ts';
import { createAcknowledge } from '../../../../adapters/discord/interactions/acknowledge.ts';
import type { UsedInteraction } from '../../../../adapters/discord/interactions/invocations.ts';
import { silentLog } from '../../../fakes/silent-log.ts';

const INTERACTION = { id: '1', token: 'token', type: 2 } as UsedInteraction;

/** Acknowledges where a second try is refused, as one was taken; the first one ends after it. */
const acknowledge = async (first: 'taken' | 'refused'): Promise<boolean> => {
  const refused = (): DiscordError =>
    new DiscordError('bad-input', 'already acknowledged', {
      discordCode: RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    });
  const earlier = Promise.withResolvers<void>();
  let tries = 0;
  const sendOnce = async (): Promise<void> => {
    tries += 1;
    if (tries === 1) return earlier.promise;
    setImmediate(() => (first === 'taken' ? earlier.resolve() : earlier.reject(refused())));
    throw refused();
  };
  const api = { sendOnce } as unknown as Api;
  const isOurs = await createAcknowledge(api, silentLog, () => true)(INTERACTION, {});
  expect(tries).toBe(2);
  return isOurs;
};

test('an answer that is refused after an earlier one of this process was taken is its own', async () => {
  expect(await acknowledge('taken')).toBe(true);
});

test('an answer that is refused as every earlier one of this process is another one’s', async () => {
  expect(await acknowledge('refused')).toBe(false);
});
