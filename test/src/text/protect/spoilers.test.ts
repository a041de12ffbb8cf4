import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import {
  bulleted,
  code,
  heading,
  item,
  link,
  mention,
  paragraph,
  quote,
  spoiler,
  styled,
  text,
  type Block,
  type Inline,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
import { visit } from '../../../../src/rich-text/walk.ts';
import { protect } from '../../../../src/text/protect/protect.ts';
import { tree, written } from '../../../fakes/markup.ts';

const restored = (source: string, translated: string): string =>
  written(protect(tree(source)).restore(translated).tree);

/** Words, mentions and code that say whether they stand in a spoiler. */
const row = (isHidden: boolean, depth: number): fc.Arbitrary<Inline[]> => {
  const said = isHidden ? 'secret' : 'open';
  const leaf = fc.constantFrom<Inline>(
    text(`${said} words `),
    text(` ${said}`),
    text(`${said}\n${said}`),
    mention('discord', 'member', '1', said),
    code(said),
  );
  if (depth === 0) return fc.array(leaf, { minLength: 1, maxLength: 3 });
  const styles = row(isHidden, depth - 1).map((children) => styled('bold', ...children));
  const links = row(isHidden, 0).map((children) => link('https://a.example', ...children));
  const spoilers = row(true, depth - 1).map((children) => spoiler(...children));
  return fc.array(fc.oneof(leaf, leaf, styles, links, spoilers), { minLength: 1, maxLength: 4 });
};
const block: fc.Arbitrary<Block> = fc.oneof(
  row(false, 2).map((children) => paragraph(...children)),
  row(false, 1).map((children) => heading(1, ...children)),
  row(false, 2).map((children) => quote(paragraph(...children))),
  row(false, 2).map((children) => bulleted(item(children))),
);
const message = fc.array(block, { minLength: 1, maxLength: 4 }).map(normalise);

const shownSecrets = (rich: RichText): readonly string[] => {
  const found: string[] = [];
  visit(rich, (node, ancestors) => {
    const isSecret =
      node.kind !== 'code-block' &&
      (('text' in node && node.text.includes('secret')) ||
        (node.kind === 'mention' && node.name === 'secret'));
    if (isSecret && !ancestors.some(({ kind }) => kind === 'spoiler'))
      found.push(JSON.stringify(node));
  });
  return found;
};

const TOKEN = /⟦\d+⟧/;
const tokens = (numbers: readonly number[]): string =>
  numbers.map((number) => `⟦${number}⟧`).join('');

describe('what stood in a spoiler', () => {
  it('is never shown outside of one, whatever a reply does to the tokens', () => {
    const changes = fc.oneof(
      // Other orders; with `most` below 1, some are lost.
      fc.record({ keys: fc.infiniteStream(fc.nat()), most: fc.constantFrom(1, 1, 0.8) }),
      fc.record({ numbers: fc.infiniteStream(fc.array(fc.nat({ max: 12 }), { maxLength: 2 })) }),
      fc.record({ swap: fc.tuple(fc.nat(), fc.nat()), drop: fc.option(fc.nat()) }),
    );
    fc.assert(
      fc.property(message, changes, (source, change) => {
        const { text: shown, tokens: count, restore, preview } = protect(source);
        fc.pre(count > 0);
        let numbers = Array.from({ length: count }, (_, index) => [index + 1]);
        if ('keys' in change) {
          numbers = numbers
            .map((own) => ({ own, key: Number(change.keys.next().value) }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ own }, index) => (index < count * change.most ? own : []));
        } else if ('numbers' in change)
          numbers = numbers.map(() => change.numbers.next().value as number[]);
        else {
          const [one, other] = change.swap.map((at) => at % count) as [number, number];
          [numbers[one], numbers[other]] = [numbers[other] as number[], numbers[one] as number[]];
          if (change.drop !== null) numbers[change.drop % count] = [];
        }
        const reply = shown
          .split(TOKEN)
          .map((words, index) => words + tokens(numbers[index] ?? []))
          .join('');
        expect(shownSecrets(restore(reply).tree)).toEqual([]);
        for (let end = 0; end <= reply.length; end += 5)
          expect(shownSecrets(preview(reply.slice(0, end)))).toEqual([]);
      }),
    );
  });

  it.each([
    ['its beginning was lost', 'コック⟦2⟧だった', '||コックだった||'],
    ['its end was lost', '⟦1⟧コックだった', '||コックだった||'],
    ['both were lost', 'コックだった', '||コックだった||'],
    ['they came in the wrong order', '⟦2⟧コック⟦1⟧だった', '||コックだった||'],
    ['they enclose nothing', '⟦1⟧⟦2⟧コックだった', '||コックだった||'],
    ['one came twice', '⟦1⟧コ⟦2⟧ック⟦2⟧だった', '||コックだった||'],
  ])('hides its whole line when %s', (_, translated, shown) => {
    expect(restored('it was ||the cook||', translated)).toBe(shown);
  });

  it('hides no other line, as long as the reply has the lines of the source', () => {
    const source = '# Title\nit was ||the cook||\nbye';
    expect(restored(source, '⟦1⟧ Titel\nder Koch⟦3⟧ war es\ntschüss')).toBe(
      '# Titel\n||der Koch war es||\ntschüss',
    );
    expect(restored(source, '⟦1⟧ Titel\nder Koch⟦3⟧ war es, tschüss')).toBe(
      '# ||Titel||\n||der Koch war es, tschüss||',
    );
  });

  it('stays where it is when everything keeps its place', () => {
    expect(restored('**so** it was ||the cook|| 🎉', '⟦1⟧also⟦2⟧ war es ⟦3⟧der Koch⟦4⟧ ⟦5⟧')).toBe(
      '**also** war es ||der Koch|| 🎉',
    );
    expect(restored('it was ||<@1>|| and **me**', '⟦2⟧ich⟦3⟧ und ⟦1⟧')).toBe(
      '**ich** und ||<@1>||',
    );
  });

  it('is hidden when only a mention in it is left, or none of its tokens', () => {
    expect(restored('it was ||<@1>||', 'es war')).toBe('es war ||<@1>||');
    expect(restored('ask <@2>, it was ||my <@1>||', 'frag ⟦1⟧, es war ⟦2⟧mein')).toBe(
      '||frag <@2>, es war mein <@1>||',
    );
  });

  it('is hidden with its line while a translation grows, until its place is known', () => {
    const { preview } = protect(tree('it was ||the cook||'));
    expect(written(preview('コック'))).toBe('||コック||');
    expect(written(preview('⟦1⟧コック⟦2⟧だった'))).toBe('||コック||だった');
  });
});
