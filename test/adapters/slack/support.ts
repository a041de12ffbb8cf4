import { createSlackAdapter } from '../../../adapters/slack/adapter.ts';
import { SUBSCRIBED } from '../../../adapters/slack/manifest.ts';
import { SCOPES } from '../../../adapters/slack/scopes.ts';
import type { Adapter } from '../../../src/adapter.ts';
import type { Channel } from '../../../src/model/place.ts';
import {
  startSlackFake,
  type FakeChannel,
  type FakeWorkspace,
  type SlackFake,
} from '../../fakes/slack/index.ts';
import { createTestCore } from '../discord/support.ts';

/** Every window of Slack's limits, and every wait for one, is so many times shorter. */
const SPEED = 1_000;

export interface TestSlack extends AsyncDisposable {
  readonly fake: SlackFake;
  readonly workspace: FakeWorkspace;
  readonly platform: Adapter['platform'];
}

/** Opens the adapter alone, connected to the fake of Slack. */
export const openSlack = async (): Promise<TestSlack> => {
  const fake = await startSlackFake({ speed: SPEED });
  const workspace = fake.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  fake.app.events = new Set(SUBSCRIBED);
  const { botToken } = workspace;
  const { appToken } = fake.app;
  const adapter = createSlackAdapter(
    {
      url: fake.url,
      speed: SPEED,
      random: () => 0,
      botToken,
      appToken,
      signingSecret: undefined,
      client: undefined,
      host: '127.0.0.1',
      port: 0,
    },
    createTestCore(),
  );
  await adapter.start();
  return {
    fake,
    workspace,
    platform: adapter.platform,
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
};

export const placeOf = (workspace: FakeWorkspace, { id }: FakeChannel): Channel => ({
  space: { platform: 'slack', id: workspace.id },
  id,
});
