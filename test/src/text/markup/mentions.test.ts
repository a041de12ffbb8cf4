import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { muteMentions } from '../../../../src/text/markup/mentions.ts';
import type { MentionNames } from '../../../../src/model/mention.ts';
import { anyText, longTexts } from '../any-text.ts';

const NAMES: Readonly<Record<string, string>> = {
  'member 1': 'Ann',
  'role 3': 'mods',
  'channel 4': 'general',
  'member U1': 'Ben',
};
const names: MentionNames = (kind, id) => NAMES[`${kind} ${id}`];
const muted = (text: string): string => muteMentions(text, names);
const named = (name: string): string => muteMentions('hey <@1>!', () => name);

describe('muteMentions', () => {
  it.each([
    ['<@1>, <@!1>', '@Ann, @Ann'],
    ['<@&3> in <#4>', '@mods in #general'],
    ['<@U1|old name>', '@Ben'],
    ['<@U2|carl>', '@carl'],
    ['<#C9|random>', '#random'],
    ['<!subteam^S1|@team>', '@team'],
    ['<@9> and <#9>', '@? and #?'],
    ['</ask now:12345>', '/ask now'],
    ['<id:browse>', '#browse'],
  ])('writes %s as %s', (text, plain) => {
    expect(muted(text)).toBe(plain);
  });

  it.each([
    '@everyone',
    '@here',
    '@Everyone',
    '<!here>',
    '<!channel>',
    '<!everyone|all>',
    'a@@here',
  ])('puts an invisible sign into %s', (text) => {
    expect(muted(text)).toMatch(/@\u200B(?:everyone|here|channel)$/i);
  });

  it.each([
    '`<@1> @here`',
    '```\n<@1>\n@everyone\n```',
    'https://example.org/@ann',
    '<t:1700000000:R>',
    '<:n:1>',
    'me@example.org',
    '@ann',
  ])('leaves %j as it is', (text) => {
    expect(muted(text)).toBe(text);
  });

  it('mutes what only looks like code: a fence that is never closed, an escaped backtick', () => {
    expect(muted('```\n<@1>')).toBe('```\n@Ann');
    expect(muted('\\`<@1>\\`')).toBe('\\`@Ann\\`');
  });

  it('keeps an address working that holds a broadcast, and apart from a name after it', () => {
    expect(muted('https://example.org/@here')).toBe('https://example.org/%40here');
    expect(muted('https://example.org/a<@1>')).toBe('https://example.org/a @Ann');
  });

  it.each([
    ['everyone', 'hey @\u200Beveryone!'],
    ['*a* `b`', 'hey @\\*a\\* \\`b\\`!'],
    ['](https://evil.example)', 'hey @\\]\\(https:\u200B//evil.example\\)!'],
    ['<@2>', 'hey @\\<@2\\>!'],
    ['two\nlines', 'hey @two lines!'],
    ['\u200B', 'hey @?!'],
  ])('makes the name %j harmless', (name, plain) => {
    expect(named(name)).toBe(plain);
  });

  it('leaves nothing that pings outside code, whatever the text and the names', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, name) => {
        const shown = muteMentions(text.replaceAll('`', ''), () => name);
        expect(shown.replaceAll(/\\[^\s\w]/g, '')).not.toMatch(
          /<(?:@[!&]?|#)\w{1,20}>|@(?:everyone|here)/i,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = muteMentions(text, () => 'Ann');
        expect(muteMentions(once, () => 'Ben')).toBe(once);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(muteMentions(text).length).toBeGreaterThan(0);
  });
});
