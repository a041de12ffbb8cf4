import { describe, expect, it } from 'vitest';
import { emoji, mention, paragraph, text } from '../../../src/model/rich-text.ts';
import {
  isBlankMessage,
  isCommandMessage,
  isEmojiMessage,
} from '../../../src/text/message-checks.ts';
import { languageText } from '../../../src/text/language/language-text.ts';
import { tree } from '../../fakes/markup.ts';

describe('a message without anything to see', () => {
  it.each(['', ' \u200B\n', '\u2800'])('is %j', (written) => {
    expect(isBlankMessage(tree(written))).toBe(true);
  });

  it.each(['a', '🎉', '<@1>', '`x`', '```\nx\n```', '.', 'https://a.b'])('is not %j', (written) => {
    expect(isBlankMessage(tree(written))).toBe(false);
  });
});

describe('a message of emoji', () => {
  it.each(['', '🎉🎉 👩‍👩‍👧', '<:pog:1> :smile:!', '**🎉**\n> 👍🏽', '…'])('is %j', (written) => {
    expect(isEmojiMessage(tree(written))).toBe(true);
  });

  it.each(['ok 🎉', '5', '<@1> 🎉', '`x`', '```\nx\n```', 'https://a.b', '@ann', '<t:1:R>'])(
    'is not %j',
    (written) => {
      expect(isEmojiMessage(tree(written))).toBe(false);
    },
  );

  it('may be of any platform', () => {
    expect(isEmojiMessage([paragraph(emoji('slack', 'E1', 'party'), text(' !'))])).toBe(true);
  });
});

describe('a message that is a command', () => {
  it.each(['!play x', '!rank <@1>', '/roll 2d6', '-p song', '>help', '!play **x**'])(
    'is %j',
    (written) => {
      expect(isCommandMessage(tree(written))).toBe(true);
    },
  );

  it.each([
    '**!play** x',
    '`!play`',
    '> !play x',
    '- !play x',
    '# !play',
    '<@1> !play',
    '!play x\nand then we talked',
    '!play\n```\nx\n```',
    '||!play||',
    'hello',
    '',
  ])('is not %j', (written) => {
    expect(isCommandMessage(tree(written))).toBe(false);
  });
});

describe('languageText', () => {
  it.each([
    ['see `npm ci` at https://a.b now', 'see   at   now'],
    ['**Hola** <@1>, ||qué tal||?', ' Hola   ,  qué tal ?'],
    ['go :smile: 🎉 me@a.example @ann', 'go        '],
    ['```js\nlet x\n```\nhi', ' \nhi'],
    ['[the docs](https://a.b)', ' the docs '],
  ])('makes %j language alone', (written, words) => {
    expect(languageText(tree(written))).toBe(words);
  });

  it('reads no more than is wanted', () => {
    expect(
      languageText([paragraph(text('abc'), mention('x', 'member', '1'), text('def'))], 5),
    ).toBe('abc d');
  });
});
