import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speakable } from '../../../src/text/speakable.ts';
import { anyText, longTexts } from './any-text.ts';

const names = (mention: string): string | undefined => (mention === '<@1>' ? 'Bob' : undefined);
const options = { locale: 'en-US', names, dictionary: [{ term: 'gif', spoken: 'jif' }] };

describe('speakable', () => {
  it.each([
    ['names for mentions', 'hey <@1>, hi', 'hey Bob, hi'],
    ['the label of a mention', '<#C1|general> </ask:1> <!here>', 'general ask here'],
    ['nothing for unknown mentions', 'hey <@2>, hi', 'hey, hi'],
    ['words for emoji, once a row', 'nice 🎉🎉🎉', 'nice party popper'],
    [
      'the name of custom emoji',
      'hm <:pepe_happy:1> :thinking_face:',
      'hm pepe happy thinking face',
    ],
    ['the host of an address', 'see https://www.example.com/a?b=c!', 'see example.com!'],
    [
      'the label of a link',
      'see [the docs](https://a.b) and <https://a.b|this>',
      'see the docs and this',
    ],
    ['no code', 'run `npm i` or ```js\nx\n``` now', 'run or now'],
    ['no spoilers', 'it was ||the **cook** 🎉||, yes', 'it was, yes'],
    ['no markup', '# Title\n> **so** ~~it~~ _is_', 'Title\nso it is'],
    ['the dictionary', 'a GIF, gifs', 'a jif, gifs'],
    ['drawn-out words shortened', 'looooool hahahahahaha', 'lool hahaha'],
    ['one mark for a row', 'what?!?!?! no!!!!!!', 'what? no!'],
    ['numbers as they are', '1000000 III', '1000000 III'],
    ['one space for many', 'a  \t b \n\n\n c', 'a b\nc'],
    ['times with their zone', 'at <t:1700000000:d>', 'at November 14, 2023'],
    ['the fallback of Slack dates', '<!date^1^{date}|Feb 18>', 'Feb 18'],
  ])('reads %s', (_, text, spoken) => {
    expect(speakable(text, options)).toBe(spoken);
  });

  it('says emoji in the language of the voice, and leaves them out in one that it has no words for', () => {
    expect(speakable('すごい😂', { locale: 'ja' })).toBe('すごい 嬉し泣き');
    expect(speakable('ok 😂', { locale: 'sw' })).toBe('ok');
    expect(speakable('ok 😂')).toBe('ok');
  });

  it.each(['', ' ', '...', '`code`', '||secret||', '\u200B', '----', '<@2>'])(
    'has nothing to say for %j',
    (text) => {
      expect(speakable(text, options)).toBe('');
    },
  );

  it('never throws, and leaves no markup, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const spoken = speakable(text, options);
        expect(spoken).toBe(spoken.trim());
        expect(spoken).not.toMatch(/<@!?\d+>|https?:\/\/\w|⟦/);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(speakable(text, options).length).toBeLessThanOrEqual(text.length * 12);
  });
});
