import { describe, expect, it } from 'vitest';
import {
  isBlankMessage,
  isCommandLike,
  isCommandMessage,
  isEmojiMessage,
  languageText,
} from '../../../src/text/message-checks.ts';
import { emoji, mention, paragraph, text } from '../../../src/rich-text/rich-text.ts';
import { tree } from '../../fakes/markup.ts';

const COMMANDS = [
  '!play x',
  '!play 夜に駆ける',
  '!!skip',
  '!Help',
  '!rank @somebody',
  '?help',
  '??faq',
  '/roll',
  '/roll 2d6',
  '/imagine a cat on a hill',
  '.ban',
  '.ban @spammer reason',
  '..play song',
  '$tip',
  '$tip @ann 5',
  '$$balance',
  '-p song',
  '-play song name',
  '--help',
  '+rep @ann',
  '~meme',
  ';;skip',
  '>help',
  ',fm',
  '=translate hi',
  '%help',
  '!play x\n',
];

const SPEECH = [
  '...well',
  '..well',
  '.com',
  '.net is old',
  '.env is missing',
  '-5',
  '-5 degrees',
  '- item',
  '-milk and eggs',
  '-sigh-',
  '-_-',
  '--',
  '?!',
  '!!!',
  '?',
  '! no',
  '!?what',
  '$5',
  '$5 for that',
  '$TSLA to the moon',
  '$PATH is wrong',
  '/s',
  '/S',
  '/j obviously',
  '/r/aww is nice',
  '/home/ann/x',
  '//todo',
  '*bold*',
  '*sigh',
  '*their',
  '_hi_',
  '~~old~~',
  '~hug~',
  '||spoiler||',
  '`code`',
  ':smile:',
  ':D',
  ':p lol',
  ';p song',
  ';)',
  '(no)',
  '"yes"',
  "'tis so",
  '#general',
  '# Title',
  '@ann hi',
  '<@1> hi',
  '> quote',
  '>quoted words',
  '^this',
  '+1',
  '+this',
  '=)',
  '=/',
  ',but why',
  '%100 agree',
  '&then',
  '¿qué?',
  '¡hola!',
  '…well',
  '！すごい',
  '!すごい',
  '!!!wow',
  '!yes!',
  'hello !play x',
  ' !play x',
  'play x',
  '!play x\nand then we talked',
  'well... ok',
  '',
  ' ',
  '👍',
];

describe('isCommandLike', () => {
  it.each(COMMANDS)('takes %j for a command', (typed) => {
    expect(isCommandLike(typed)).toBe(true);
  });

  it.each(SPEECH)('takes %j for speech', (typed) => {
    expect(isCommandLike(typed)).toBe(false);
  });

  it('reads a long line once', () => {
    expect(isCommandLike(`!${'a'.repeat(1_000_000)}`)).toBe(false);
  });
});

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
