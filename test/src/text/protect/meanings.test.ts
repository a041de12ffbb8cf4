import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import {
  code,
  link,
  mention,
  paragraph,
  spoiler,
  styled,
  text,
  type Inline,
} from '../../../../src/rich-text/rich-text.ts';
import { meaningsIn, type TokenMeaning } from '../../../../src/text/protect/meanings.ts';
import { protect, protectTerms, type Term } from '../../../../src/text/protect/protect.ts';
import { anyRichText } from '../../../fakes/any-rich-text.ts';

const meaningsOf = (
  row: readonly Inline[],
  language = 'en',
  terms: readonly Term[] = [],
): readonly TokenMeaning[] => {
  const guarded = protect(normalise([paragraph(...row)]), terms);
  const meanings = guarded.meanings(language);
  return Array.from({ length: guarded.tokens }, (_, index) => meanings.get(index + 1) ?? {});
};

const wordOf = (node: Inline, language?: string): string | undefined =>
  meaningsOf([text('a '), node, text(' b')], language)[0]?.word;

const member = (id: string, name: string): Inline => mention('discord', 'member', id, name);

describe('the word of a token', () => {
  it('is a name from a list for a person, the same for the same one, never their own', () => {
    const [ann, bob, again] = meaningsOf([
      member('1', 'Xylia'),
      text(' and '),
      member('2', 'Bob'),
      text(' or '),
      member('1', 'Xylia'),
    ]).map(({ word }) => word);
    expect(ann).toMatch(/^\p{Lu}\p{Ll}+$/u);
    expect([ann, bob]).not.toContain('Xylia');
    expect(bob).not.toBe(ann);
    expect(again).toBe(ann);
    expect(wordOf(text('@xylia'))).toBe(ann);
  });

  it('is in the script of the text', () => {
    expect(wordOf(member('1', 'Ann'), 'ru')).toMatch(/^\p{sc=Cyrl}+$/u);
    expect(wordOf(member('1', 'Ann'), 'ja')).toMatch(/\p{sc=Han}/u);
    expect(wordOf(mention('discord', 'broadcast', 'here'), 'pt-BR')).toBe('todos');
  });

  it.each([
    ['an address: its host', link('https://www.example.org/a?key=b#c'), 'example.org'],
    ['an address in words: its host', text('https://user:secret@example.org:81/x'), 'example.org'],
    ['a mail address: never itself', text('ann@private.example'), 'example.com'],
    ['a telephone: never itself', link('tel:+123456'), 'example.com'],
    ['code: itself', code('npm install'), 'npm install'],
    ['code with signs: its first words', code('getUser(id)'), 'getUser'],
    ['a channel: its words', mention('discord', 'channel', '1', 'ask-for-help'), 'ask for help'],
    ['an emoji: none', text('😀'), undefined],
    ['long code: none', code('x'.repeat(33)), undefined],
    ['a long command: none', code('git commit -m "a long message"  --amend'), undefined],
    ['a long host: another one', link(`https://${'x'.repeat(29)}.org`), 'example.com'],
    [
      'a channel in marks: its words',
      mention('discord', 'channel', '1', 'सामान्य-चर्चा'),
      'सामान्य चर्चा',
    ],
    ['code of signs: none', code('{}'), undefined],
    ['code with the address of a person: none', code('ann@private.example'), undefined],
  ])('%s', (_, node, word) => {
    expect(wordOf(node)).toBe(word);
  });

  it('is a term as it was written', () => {
    const terms = [{ term: 'dragon', translation: 'wyrm' }];
    expect(meaningsOf([text('The Dragon')], 'en', terms)[0]?.word).toBe('Dragon');
  });
});

describe('parts of a text', () => {
  it('begin and end with tokens', () => {
    const row = [text('a '), styled('bold', text('b '), styled('italic', text('c'))), text(' d')];
    expect(meaningsOf(row)).toMatchObject([{ opens: 1 }, { opens: 1 }, { closes: 2 }]);
  });

  it('are none of a token that holds the whole of one', () => {
    expect(meaningsOf([text('a '), styled('bold', code('b')), text(' d')])).toMatchObject([
      { opens: 0, word: 'b', closes: 0 },
    ]);
  });

  it('are not looked at where a hundred begin at once', () => {
    let deep: Inline = text('b');
    for (let depth = 0; depth < 100; depth += 1)
      deep = depth % 2 === 0 ? styled('bold', deep) : spoiler(deep);
    const guarded = protect([paragraph(text('a '), deep, text(' c'))]);
    expect([...guarded.meanings('en')]).toEqual([]);
  });

  it('end once each that begins, whatever the tree', () => {
    fc.assert(
      fc.property(anyRichText().map(normalise), (tree) => {
        let open = 0;
        const guarded = protect(tree);
        for (const { closes = 0, opens = 0, word = 'x' } of guarded.meanings('en').values()) {
          open -= closes;
          expect(open).toBeGreaterThanOrEqual(0);
          open += opens;
          expect(word.length).toBeGreaterThan(0);
          expect(word.length).toBeLessThanOrEqual(60);
        }
        expect(open).toBe(0);
      }),
    );
  });
});

describe('the meanings of a client’s tokens', () => {
  const given = new Map<number, TokenMeaning>([
    [7, { word: 'Ana' }],
    [8, { opens: 1 }],
    [9, { closes: 1 }],
  ]);

  it('are kept among the tokens of keywords', () => {
    const terms = ['fox', '⟦7⟧', '⟦8⟧', '⟦9⟧'].map((term) => ({ term }));
    const guarded = protectTerms('⟦7⟧ saw a ⟦8⟧red⟦9⟧ fox', terms);
    expect([...guarded.meanings('en', given).values()]).toMatchObject([
      { word: 'Ana' },
      { opens: 1 },
      { closes: 1 },
      { word: 'fox' },
    ]);
  });

  it('are those of the tokens in a part of a text', () => {
    expect([...meaningsIn('a ⟦9⟧ b ⟦1⟧', given).keys()]).toEqual([9]);
  });
});
