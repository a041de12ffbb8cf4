import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSlackApi } from '../../../adapters/slack/api.ts';
import { AppError } from '../../../src/errors.ts';

/** Requests that may be under way. */
const AT_ONCE = 100;

test('a guard is asked after the wait for other requests, too, right before the request', async () => {
  const open: ServerResponse[] = [];
  const full = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    open.push(response);
    if (open.length === AT_ONCE) full.resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const api = createSlackApi(
    {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      speed: 1_000,
      random: () => 0,
    },
    { tokenOf: async () => 'xoxb-1', tokenKnown: () => 'xoxb-1', tokenRefused: () => undefined },
  );
  const call = (space: number, assertHeld?: () => void): Promise<unknown> =>
    api.call({ platform: 'slack', id: `${space}` }, 'chat.update', {}, { assertHeld });
  const others = Array.from({ length: AT_ONCE }, (_, space) => call(space));
  await full.promise;
  let isHeld = true;
  const waiting = call(AT_ONCE, () => {
    if (!isHeld) throw new AppError('cancelled', 'lost');
  });
  const ended = expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  // By then it waits for its turn.
  await setImmediate();
  isHeld = false;
  for (const response of open)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  await Promise.all([ended, ...others]);
  expect(open).toHaveLength(AT_ONCE);
});
