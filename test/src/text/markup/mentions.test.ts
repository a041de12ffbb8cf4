import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { muteLeftovers, nameMentions } from '../../../../src/text/markup/mentions.ts';
import type { MentionNames } from '../../../../src/model/mention.ts';
import { anyText, longTexts } from '../any-text.ts';

const NAMES: Readonly<Record<string, string>> = {
  'member 1': 'Ann',
  'role 3': 'mods',
  'channel 4': 'general',
  'member U1': 'Ben',
};
const names: MentionNames = (kind, id) => NAMES[`${kind} ${id}`];
const named = (text: string): string => nameMentions(text, names, (name) => name);

describe('mentions', () => {
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
  ])('%s become %s', (text, plain) => {
    expect(named(text)).toBe(plain);
  });

  it.each([
    '@everyone',
    '@here',
    '@Everyone',
    '<!here>',
    '<!channel>',
    '<!everyone|all>',
    'a@@here',
  ])('get an invisible sign in %s', (text) => {
    expect(muteLeftovers(named(text))).toMatch(/@\u200B(?:everyone|here|channel)$/i);
  });

  it.each(['<t:1700000000:R>', '<:n:1>', 'me@example.org', '@ann'])('are not in %j', (text) => {
    expect(muteLeftovers(named(text))).toBe(text);
  });

  it('leave nothing that pings, whatever the text and the names', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, name) => {
        const shown = muteLeftovers(nameMentions(text, () => name, String));
        expect(shown).not.toMatch(/<(?:@[!&]?|#)\w{1,20}>|@(?:everyone|here)/i);
      }),
      { numRuns: 1000 },
    );
  });

  it('change nothing the second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = muteLeftovers(named(text));
        expect(muteLeftovers(once)).toBe(once);
      }),
    );
  });

  it.each(longTexts(100_000))('bear a long row of %s', (_, text) => {
    expect(muteLeftovers(named(text)).length).toBeGreaterThan(0);
  });
});
