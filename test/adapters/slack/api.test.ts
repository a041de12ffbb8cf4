import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSlackApi } from '../../../adapters/slack/api.ts';
import { AppError } from '../../../src/errors.ts';
import { serve } from '../../fakes/serve.ts';

/** Requests of one workspace that may be under way. */
const AT_ONCE = 20;

test('a workspace that does not answer keeps no other waiting, and a guard is asked after the wait for its requests', async () => {
  const open: ServerResponse[] = [];
  const reached = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  await using server = await serve((_, response) => {
    open.push(response);
    if (open.length === AT_ONCE) full.resolve();
    if (open.length > AT_ONCE) reached.resolve();
  });
  const api = createSlackApi(
    { url: `${server.url}/`, speed: 1_000, random: () => 0 },
    { tokenOf: async () => 'xoxb-1', tokenKnown: () => 'xoxb-1', tokenRefused: () => undefined },
  );
  const call = (space: string, assertHeld?: () => void): Promise<unknown> =>
    api.call({ platform: 'slack', id: space }, 'chat.update', {}, { assertHeld });
  const others = Array.from({ length: AT_ONCE }, () => call('T1'));
  await full.promise;
  let isHeld = true;
  const waiting = call('T1', () => {
    if (!isHeld) throw new AppError('cancelled', 'lost');
  });
  const ended = expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  // By then it waits for its turn.
  await setImmediate();
  isHeld = false;
  const other = call('T2');
  await reached.promise;
  for (const response of open)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  await Promise.all([ended, other, ...others]);
  expect(open).toHaveLength(AT_ONCE + 1);
});
