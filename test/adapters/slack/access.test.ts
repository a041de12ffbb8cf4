import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Access } from '../../../src/ports/platform.ts';
import type { FakeChannel, FakeUser } from '../../fakes/slack/index.ts';
import { openSlack, placeOf, type TestSlack } from './support.ts';

let slack: TestSlack;
beforeAll(async () => {
  slack = await openSlack();
});
afterAll(async () => slack[Symbol.asyncDispose]());

const accessOf = async (
  { id }: FakeUser,
  channels: readonly FakeChannel[],
): Promise<readonly (Access | undefined)[]> =>
  Promise.all(
    channels.map(async (channel) =>
      slack.platform.access?.({ platform: 'slack', id }, placeOf(slack.workspace, channel)),
    ),
  );

it('the rights in many channels take few calls, and are those that each alone has', async () => {
  const { workspace, fake, platform } = slack;
  const [ann, bob] = [workspace.user({ name: 'ann' }), workspace.user({ name: 'bob' })];
  const botUser = workspace.installation.botUser.id;
  const open = Array.from({ length: 60 }, () => workspace.channel({ members: [ann] }));
  const shut = workspace.channel({ kind: 'private', members: [ann] });
  const old = workspace.channel({ members: [ann] });
  const without = workspace.channel({ members: [ann] });
  old.archive();
  shut.state.members.add(botUser);
  without.state.members.delete(botUser);
  const others = [shut, old, without];
  const alone: (Access | undefined)[] = [];
  for (const channel of others) alone.push(...(await accessOf(bob, [channel])));
  expect(alone).toEqual(['none', 'see', 'write']);
  expect(await accessOf(ann, [shut])).toEqual(['write']);

  const before = fake.requests.length;
  expect(await accessOf(bob, [...open, ...others])).toEqual([...open.map(() => 'write'), ...alone]);
  expect(fake.requests.length - before).toBeLessThan(8);
  const gone = placeOf(workspace, { id: 'C99999999' } as FakeChannel);
  expect(await platform.access?.({ platform: 'slack', id: bob.id }, gone)).toBeUndefined();
});

it('a channel is known to be deleted, and one that is archived or that the app is not in is not', async () => {
  const { workspace, platform } = slack;
  const [gone, old, without, open] = Array.from({ length: 4 }, () => workspace.channel());
  gone!.delete();
  old!.archive();
  without!.removeBot();
  const asked = [gone, old, without, open].map(async (each) =>
    platform.feed?.isGone?.(placeOf(workspace, each!)),
  );
  expect(await Promise.all(asked)).toEqual([true, false, false, false]);
});
