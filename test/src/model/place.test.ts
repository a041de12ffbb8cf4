import { describe, expect, it } from 'vitest';
import { channelMention, roleMention } from '../../../src/model/place.ts';
import { mention } from '../../../src/rich-text/rich-text.ts';

const space = { platform: 'test', id: 's' };

describe('a mention in a text of ours', () => {
  it('names a channel or a role of its space’s platform', () => {
    expect(channelMention({ space, id: '1' })).toEqual(mention('test', 'channel', '1'));
    expect(roleMention(space, '2')).toEqual(mention('test', 'role', '2'));
  });
});
