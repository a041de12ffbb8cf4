import { describe, expect, it } from 'vitest';
import { namedFor, textFor } from '../../../src/autotranslate/watched-platforms.ts';
import { sentence } from '../../../src/rich-text/compose.ts';
import type { Channel } from '../../../src/model/place.ts';
import { mention } from '../../../src/rich-text/rich-text.ts';
import { channel, createFakeFeed, SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, SPANISH } from './support.ts';

const ELSEWHERE = channel('elsewhere', undefined, { ...SPACE, id: 'another' });
const TEXT = sentence('ask ', mention(SPACE.platform, 'member', '42'));

describe('a mention', () => {
  const { feed, mirrors } = createFakeFeed();
  const asked: Channel[] = [];
  const platforms = {
    of: () => ({
      mirrors,
      feed: {
        ...feed,
        named: async (...given: Parameters<typeof feed.named>) => {
          asked.push(given[0]);
          return feed.named(...given);
        },
      },
    }),
  };

  it('is named as the readers know it, and those of another space as its own readers do', async () => {
    for (const to of [SPANISH, ELSEWHERE]) await namedFor(TEXT, ENGLISH, to, platforms);
    expect(asked.splice(0)).toEqual([SPANISH, ENGLISH]);
  });

  it('stays within its space, and is a name in any other', async () => {
    expect(await textFor(TEXT, ENGLISH, SPANISH, platforms)).toBe(TEXT);
    expect(asked).toEqual([]);
    expect(await textFor(TEXT, ENGLISH, ELSEWHERE, platforms)).toEqual(sentence('ask @member-42'));
  });
});
