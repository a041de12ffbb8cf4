import { describe, expect, it } from 'vitest';
import { normalise } from '../../../src/rich-text/normalise.ts';
import {
  bulleted,
  code,
  codeBlock,
  emoji,
  heading,
  item,
  link,
  mention,
  numbered,
  paragraph,
  quote,
  spoiler,
  subtext,
  text,
  timestamp,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { map, mapRows, mentionText, plainText, visit } from '../../../src/rich-text/walk.ts';
import { checkLaws } from '../../fakes/check-laws.ts';
import { MODEL_LAWS } from '../../fakes/rich-text-laws.ts';
import { bold, italic } from '../../fakes/rich-text.ts';

const URL = 'https://a.example';
const row = (...children: readonly Inline[]): RichText => [paragraph(...children)];

describe('normalise', () => {
  checkLaws(MODEL_LAWS);

  it.each<[string, RichText, RichText]>([
    ['joins texts', row(text('a'), text(''), text('b')), row(text('ab'))],
    ['joins equal styles', row(bold(text('a')), bold(text('b'))), row(bold(text('ab')))],
    ['drops a style within itself', row(bold(text('a'), bold(text('b')))), row(bold(text('ab')))],
    [
      'puts the longer style outside',
      row(italic(bold(text('a'))), bold(text('b'))),
      row(bold(italic(text('a')), text('b'))),
    ],
    [
      'lets white space out of a style',
      row(bold(text(' a ')), text('b')),
      row(bold(text('a')), text(' b')),
    ],
    [
      'ends a style at an empty line',
      row(bold(text('a\n\nb'))),
      row(bold(text('a')), text('\n\n'), bold(text('b'))),
    ],
    [
      'takes a style out of a link',
      row(link(URL, bold(text('a')))),
      row(bold(link(URL, text('a')))),
    ],
    ['makes a label that is the address none', row(link(URL, text(URL))), row(link(URL))],
    [
      'makes a link in a link its label',
      row(link(URL, link(URL, text('a')))),
      row(link(URL, text('a'))),
    ],
    ['makes text of what is no address', row(link('a b', text('c'))), row(text('c (a b)'))],
    [
      'puts a spoiler around a link',
      row(link(URL, spoiler(text('a')))),
      row(spoiler(link(URL, text('a')))),
    ],
    ['drops a spoiler of nothing', row(text('a'), spoiler(text(' ')), text('b')), row(text('a b'))],
    [
      'joins paragraphs',
      [paragraph(text('a')), paragraph(), paragraph(text('b'))],
      row(text('a\n\nb')),
    ],
    [
      'joins quotes',
      [quote(...row(text('a'))), quote(...row(text('b')))],
      [quote(...row(text('a\nb')))],
    ],
    [
      'joins lists of one kind',
      [bulleted(item([text('a')])), bulleted(item([text('b')])), numbered(1, item([text('c')]))],
      [bulleted(item([text('a')]), item([text('b')])), numbered(1, item([text('c')]))],
    ],
    [
      'gives the lists of an empty item to the list around it',
      [bulleted(item([], numbered(3, item([text('a')]))))],
      [bulleted(item([text('a')]))],
    ],
    ['drops what is empty', [heading(1), quote(), bulleted(), codeBlock('\n'), subtext()], []],
    ['trims the whole', row(text('\n a \n')), row(text('a'))],
    ['puts a heading on one line', [heading(1, text('a\nb'))], [heading(1, text('a b'))]],
    ['trims code blocks', [codeBlock('\n\n  a\n', 'no language')], [codeBlock('  a')]],
    ['unites line ends', row(text('a\r\nb\rc')), row(text('a\nb\nc'))],
    ['encodes what breaks an address', row(link(`${URL}/(a|b`)), row(link(`${URL}/%28a%7Cb`))],
    ['keeps addresses from notifying', row(link(`${URL}/@here`)), row(link(`${URL}/%40here`))],
  ])('%s', (_, tree, wanted) => {
    expect(normalise(tree)).toEqual(wanted);
  });

  it('bounds how deep quotes and lists lie', () => {
    const depthOf = (value: unknown, kind: string): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const inner = Math.max(0, ...Object.values(value).map((part) => depthOf(part, kind)));
      return inner + ((value as { kind?: string }).kind === kind ? 1 : 0);
    };
    let list = bulleted(item([text('a')]));
    let tree: RichText = row(text('a'));
    for (let depth = 0; depth < 50; depth += 1) {
      list = bulleted(item([text('b')], list));
      tree = [paragraph(text('b')), quote(...tree)];
    }
    expect(depthOf(normalise([list]), 'list')).toBe(9);
    expect(depthOf(normalise(tree), 'quote')).toBe(3);
    expect(plainText(normalise([list])).split('\n')).toHaveLength(51);
  });
});

describe('walking a tree', () => {
  const tree: RichText = [
    heading(1, text('Plan')),
    paragraph(text('see '), link(URL, bold(text('here'))), text(' by '), timestamp(0)),
    bulleted(item([mention('x', 'member', '1', 'Ann')], numbered(1, item([code('x')])))),
    quote(paragraph(emoji('x', '1', 'wave'), spoiler(text('s'))), codeBlock('y')),
  ];

  it('meets every node once, parents first', () => {
    const met: string[] = [];
    visit(tree, ({ kind }, ancestors) => met.push(`${ancestors.length} ${kind}`));
    expect(met).toEqual([
      '0 heading',
      '1 text',
      '0 paragraph',
      '1 text',
      '1 link',
      '2 bold',
      '3 text',
      '1 text',
      '1 timestamp',
      '0 list',
      '1 mention',
      '1 list',
      '2 code',
      '0 quote',
      '1 paragraph',
      '2 emoji',
      '2 spoiler',
      '3 text',
      '1 code-block',
    ]);
  });

  it('gives the words alone', () => {
    expect(plainText(tree)).toBe('Plan\nsee here by 1970-01-01 00:00 UTC\n@Ann\nx\n:wave:s\ny');
  });

  it('shares what does not change, up to the tree', () => {
    expect(map(tree, (node) => node)).toBe(tree);
    expect(mapRows(tree, (children) => children)).toBe(tree);
    const changed = map(tree, (node) => (node.kind === 'code' ? code('z') : node));
    expect(changed).not.toBe(tree);
    expect(changed[1]).toBe(tree[1]);
    expect(plainText(changed)).toContain('z');
  });

  it('can drop and multiply nodes', () => {
    const twice = map(row(text('a'), code('b')), (node) =>
      node.kind === 'text' ? [node, node] : [],
    );
    expect(twice).toEqual(row(text('a'), text('a')));
  });

  it.each([
    [mention('x', 'member', '1', 'Ann  B\n'), '@Ann B'],
    [mention('x', 'role', '1'), '@?'],
    [mention('x', 'channel', '1', 'general'), '#general'],
    [mention('x', 'command', '1', 'ask now'), '/ask now'],
    [mention('x', 'broadcast', 'here'), '@here'],
    [mention('x', 'page', 'browse'), '#browse'],
  ])('names a mention in words', (node, words) => {
    expect(mentionText(node)).toBe(words);
  });
});
