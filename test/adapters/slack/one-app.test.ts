import { describe, expect, it, onTestFinished } from 'vitest';
import { createSlackAdapter } from '../../../adapters/slack/adapter.ts';
import { createOneApp } from '../../../adapters/slack/one-app.ts';
import { SUBSCRIBED } from '../../../adapters/slack/manifest.ts';
import { realClock } from '../../../src/async/clock.ts';
import type { Processes } from '../../../src/ports/processes.ts';
import { createLoneProcess } from '../../fakes/processes.ts';
import { startSlackFake } from '../../fakes/slack/index.ts';
import { createTestCore } from '../discord/support.ts';

const refusedFor = (variable: string) => ({
  code: 'config',
  message: expect.stringMatching(
    new RegExp(`${variable} of another app.*give this app`, 'u'),
  ) as string,
});

/** What processes share, of which others hold all leases. */
const createShared = (): Processes => {
  const lone = createLoneProcess();
  return { ...lone, isAlone: false, leases: { ...lone.leases, isAnyHeld: async () => true } };
};

describe('the processes on one database', () => {
  it.each([
    ['the token of one workspace', 'SLACK_BOT_TOKEN', (id: string) => [undefined, id] as const],
    ['workspaces that install it', 'SLACK_CLIENT_ID', (id: string) => [id, undefined] as const],
  ])('run one app, with %s', async (_, variable, idsOf) => {
    const shared = createShared();
    const demand = async (id: string): Promise<void> => {
      const [clientId, appId] = idsOf(id);
      const oneApp = createOneApp(shared, realClock, clientId, () => appId);
      onTestFinished(async () => oneApp[Symbol.asyncDispose]());
      await oneApp.demand();
    };
    await demand('A0123ABCD');
    await demand('A0123ABCD');
    await expect(demand('A0123ABCE')).rejects.toMatchObject(refusedFor(variable));
  });

  it.each([true, false])(
    'end one of another app before it connects (receives events: %s)',
    async (receives) => {
      await using fake = await startSlackFake();
      fake.app.events = new Set(SUBSCRIBED);
      const { botToken } = fake.workspace();
      const processes = createShared();
      await processes.agreements.agree('slack-app', 1);
      await using adapter = createSlackAdapter(
        {
          url: fake.url,
          botToken,
          appToken: fake.app.appToken,
          signingSecret: undefined,
          client: undefined,
          host: '127.0.0.1',
          port: 0,
        },
        { ...createTestCore(), processes, receives },
      );
      await expect(adapter.start()).rejects.toMatchObject(refusedFor('SLACK_BOT_TOKEN'));
      expect([adapter.ready(), fake.sockets.connected]).toEqual([false, 0]);
    },
  );
});
