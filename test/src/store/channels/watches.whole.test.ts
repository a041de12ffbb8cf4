import { expect, it } from 'vitest';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { openWatchStore } from '../../../../src/store/channels/watches.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';

const ROUNDS = 5;
const SPACE = { platform: 'test', id: 's' };

const openTwo = async () => {
  const url = await makeDatabase();
  const open = async () => openWatchStore(await openTestStore(url), () => 1);
  return [await open(), await open()] as const;
};

it('two processes that change watches at the same moment lose none of both changes', async () => {
  const [one, two] = await openTwo();
  for (let round = 0; round < ROUNDS; round += 1) {
    const channel = { space: SPACE, id: `${round}` };
    await one.set([watchOf(channel)]);
    const change = (part: Partial<ChannelWatch>) => (all: readonly ChannelWatch[]) =>
      all.filter((each) => each.channel.id === channel.id).map((each) => ({ ...each, ...part }));
    await Promise.all([
      one.update(channel, change({ choices: { pause: { fromMs: 1 } } })),
      two.update(channel, change({ bots: true })),
    ]);
    expect(one.of(channel)).toMatchObject({ choices: { pause: { fromMs: 1 } }, bots: true });
    const group = mirrorOf(
      ...['a', 'b', 'c'].map((id) => [{ space: SPACE, id: `${round}${id}` }, 'en'] as const),
    ).map((each) => ({ ...each, group: `g${round}` }));
    await one.set(group);
    const [first, second, third] = group.map((each) => each.channel);
    await Promise.all([one.remove([first!]), two.remove([second!])]);
    expect(one.of(third!)).toBeUndefined();
  }
});
