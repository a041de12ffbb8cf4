import { expect, it } from 'vitest';
import names from '../../../adapters/slack/rich-text/emoji.json' with { type: 'json' };
import { emojiNameOf, unicodeOf } from '../../../adapters/slack/rich-text/atoms.ts';
import { qualifiedEmoji } from '../../../src/text/emoji.ts';

it('every emoji is known with and without its variation selectors', () => {
  const drawn = Object.values(names);
  expect(drawn.map((each) => qualifiedEmoji(each.replaceAll('\uFE0F', '')))).toEqual(drawn);
});

it.each(['', '7', 'a', '👍👍', '👍 ', '400000000000000001', 'thumbsup'])(
  '%j is no emoji',
  (text) => {
    expect(qualifiedEmoji(text)).toBeUndefined();
  },
);

it('every emoji of Slack has a name there, with its skin tone where it has one', () => {
  const drawn = [...Object.values(names), '👍🏽', '🕵🏿‍♂️', '✌🏻'];
  expect(drawn.map((each) => unicodeOf(emojiNameOf(each) ?? ''))).toEqual(drawn);
  expect(emojiNameOf('👍🏽')).toBe('+1::skin-tone-4');
  expect(emojiNameOf('👩🏻‍❤️‍👨🏿')).toBeUndefined();
});
