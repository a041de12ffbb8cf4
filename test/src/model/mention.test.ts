import { describe, expect, it } from 'vitest';
import {
  channelMention,
  customEmoji,
  typedChannelId,
  typedCustomEmojiId,
} from '../../../src/model/mention.ts';

describe('a typed mention', () => {
  it.each([
    ['<#123>', '123'],
    ['<#C0FFEE|general>', 'C0FFEE'],
    [channelMention({ id: 'any' }), 'any'],
  ])('%s names a channel', (typed, id) => {
    expect(typedChannelId(typed)).toBe(id);
  });

  it.each(['general', '#general', '<@123>', '<#>', 'a <#123>', '<#1> <#2>'])(
    '%s names no channel',
    (typed) => {
      expect(typedChannelId(typed)).toBeUndefined();
    },
  );

  it.each([
    ['<:wave:42>', '42'],
    ['<a:wave:42>', '42'],
    [customEmoji('party-parrot'), 'party-parrot'],
  ])('%s is a custom emoji', (typed, id) => {
    expect(typedCustomEmojiId(typed)).toBe(id);
  });

  it.each(['👋', ':wave:', '<#42>', '<:wave:42> hello'])('%s is no custom emoji', (typed) => {
    expect(typedCustomEmojiId(typed)).toBeUndefined();
  });
});
