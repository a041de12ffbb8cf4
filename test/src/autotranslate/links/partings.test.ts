import { describe, expect, it } from 'vitest';
import { createPartings, type PartingsDeps } from '../../../../src/autotranslate/links/partings.ts';
import { channelKey } from '../../../../src/model/place.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';

const CHANNELS = 500;
const GROUP_SIZE = 20;

describe('the channels of a large space that part', () => {
  it('are compared with those of their own group alone', async () => {
    let looks = 0;
    const all = Array.from({ length: CHANNELS }, (_, at): ChannelWatch => {
      const [watch] = mirrorOf([channel(`c${at}`), 'en']);
      return {
        ...watch!,
        group: `g${Math.floor(at / GROUP_SIZE)}`,
        get channel() {
          looks += 1;
          return watch!.channel;
        },
      };
    });
    const byKey = new Map(all.map((watch) => [channelKey(watch.channel), watch]));
    const byGroup = Map.groupBy(all, ({ group }) => group);
    const of: PartingsDeps['watches']['of'] = (one) => byKey.get(channelKey(one));
    const { parting } = createPartings({
      watches: { of, isOwn: (one) => of(one) !== undefined },
      own: { set: async () => undefined, remove: async () => [] },
      platforms: { find: () => undefined },
      groupOf: (one) => byGroup.get(of(one)?.group) ?? [],
      tellLinks: async () => undefined,
      tellOff: () => undefined,
    });
    const channels = all.map((watch) => watch.channel);
    looks = 0;
    await parting(channels, async () => undefined);
    expect(looks / CHANNELS).toBeLessThan(GROUP_SIZE ** 2);
  });
});
