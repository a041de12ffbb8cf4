import * as fc from 'fast-check';
import type {
  Block,
  Inline,
  List,
  ListItem,
  MentionTarget,
  RichText,
  StyleKind,
  TimestampStyle,
} from '../../src/rich-text/rich-text.ts';

/** What a platform has of its own. */
export interface Dialect {
  readonly platform: string;
  readonly targets: readonly MentionTarget[];
  readonly ids: fc.Arbitrary<string>;
  readonly broadcasts: readonly string[];
}

export const DISCORD: Dialect = {
  platform: 'discord',
  targets: ['member', 'role', 'channel', 'broadcast', 'command', 'page'],
  ids: fc.constantFrom('1', '22', '123456789012345678'),
  broadcasts: ['everyone', 'here'],
};

export const SLACK: Dialect = {
  platform: 'slack',
  targets: ['member', 'channel', 'group', 'broadcast'],
  ids: fc.constantFrom('U1', 'W0ABCDEF', 'C024BE7LR', 'S01'),
  broadcasts: ['channel', 'here', 'everyone'],
};

const WORDS = [
  'a',
  'one two',
  'snake_case_name',
  '2 * 3 = 6',
  'wow!!!',
  '日本語、',
  'مرحبا',
  'नमस्ते',
  '👩‍👩‍👧',
  '🎉',
  'C:\\dir',
  ' ',
  '  ',
  '\n',
  '\n\n',
  ' \n',
  'x\u200By',
] as const;

/** Signs and words that are markup on some platform when they are not escaped. */
const SIGNS = [
  ...Array.from('*_~|`<>[]()#-+.:;!&@\\\'"=/{}^$%•1'),
  '**',
  '***',
  '__',
  '~~',
  '||',
  '``',
  '```',
  '```js\n',
  '](',
  '](https://evil.example)',
  '<@1>',
  '<@!2>',
  '<@&3>',
  '<#4>',
  '<@U1>',
  '<#C1|general>',
  '<!here>',
  '<!channel>',
  '<!subteam^S1|@team>',
  '<!date^1^{date}|x>',
  '@everyone',
  '@here',
  '@channel',
  '<:n:1>',
  '<a:n:1>',
  ':smile:',
  ':wave::skin-tone-2:',
  '<t:1700000000:R>',
  '</ask:1>',
  '<id:browse>',
  'https://a.example/x_y',
  'http://',
  '<https://a.example>',
  '<https://a.example|b>',
  'mailto:a@b.example',
  'www.a.example',
  '&amp;',
  '&lt;',
  '&gt; ',
  '\n# ',
  '\n-# ',
  '\n> ',
  '\n>>> ',
  '\n- ',
  '\n* ',
  '\n1. ',
  '\n  - ',
  '# ',
  '> ',
  '- ',
  '1. ',
  '\\*',
  '\\',
  '\u2060',
  '\r\n',
  '¯\\_(ツ)_/¯',
  '---',
  '===',
] as const;

export const anyWords: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 4, arbitrary: fc.constantFrom(...SIGNS) },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

export const anyUrl: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'https://example.org',
      'http://example.org/a_b_c?q=1&r=2#top',
      'https://example.org/d_(e)',
      'https://example.org/x.',
      'https://example.org/__init__',
      'https://example.org/*a*',
      'https://example.org/~~b/**c',
      'https://example.org/日本',
      'https://example.org/((',
      'https://example.org/a|b',
      'mailto:me@example.org',
      'tel:+1234',
    ),
  },
  { weight: 1, arbitrary: anyWords.map((words) => `https://example.org/${words}`) },
  { weight: 1, arbitrary: anyWords },
);

const STYLES: readonly StyleKind[] = ['bold', 'italic', 'underline', 'strike'];
const TIMES: readonly TimestampStyle[] = ['t', 'T', 'd', 'D', 'f', 'F', 'R'];

const leafOf = (dialects: readonly Dialect[]): fc.Arbitrary<Inline> => {
  const words = anyWords.map((text): Inline => ({ kind: 'text', text }));
  const mentions = dialects.map(({ platform, targets, ids, broadcasts }) =>
    fc
      .tuple(
        fc.constantFrom(...targets),
        ids,
        fc.option(fc.oneof(fc.constantFrom('Ann', 'general', 'ask now'), anyWords), {
          nil: undefined,
        }),
        fc.constantFrom(...broadcasts),
      )
      .map(([target, id, name, word]): Inline => ({
        kind: 'mention',
        platform,
        target,
        id: target === 'broadcast' ? word : target === 'page' ? 'browse' : id,
        ...(name === undefined ? {} : { name }),
      })),
  );
  const emoji = dialects.map(({ platform, ids }) =>
    fc
      .tuple(ids, fc.constantFrom('party', 'a_b', '+1', 'wave::skin-tone-2'), fc.boolean())
      .map(([id, name, animated]): Inline => ({
        kind: 'emoji',
        platform,
        id,
        name,
        ...(animated ? { animated } : {}),
      })),
  );
  return fc.oneof(
    { weight: 8, arbitrary: words },
    { weight: 1, arbitrary: anyWords.map((text): Inline => ({ kind: 'code', text })) },
    ...[...mentions, ...emoji].map((arbitrary) => ({ weight: 1, arbitrary })),
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: -1_000, max: 2_000_000_000 }), fc.constantFrom(...TIMES))
        .map(([seconds, style]): Inline => ({ kind: 'timestamp', seconds, style })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(anyUrl, fc.boolean()).map(([url, quiet]): Inline => ({
        kind: 'link',
        url,
        children: [],
        ...(quiet ? { noPreview: true } : {}),
      })),
    },
  );
};

const inlineOf = (dialects: readonly Dialect[], depth: number): fc.Arbitrary<Inline> => {
  const leaf = leafOf(dialects);
  if (depth === 0) return leaf;
  const children = fc.array(inlineOf(dialects, depth - 1), { maxLength: 3 });
  return fc.oneof(
    { weight: 6, arbitrary: leaf },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...STYLES), children)
        .map(([kind, inner]): Inline => ({ kind, children: inner })),
    },
    {
      weight: 1,
      arbitrary: children.map((inner): Inline => ({ kind: 'spoiler', children: inner })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(anyUrl, children, fc.boolean()).map(([url, inner, quiet]): Inline => ({
        kind: 'link',
        url,
        children: inner,
        ...(quiet ? { noPreview: true } : {}),
      })),
    },
  );
};

const listOf = (row: fc.Arbitrary<readonly Inline[]>, depth: number): fc.Arbitrary<List> =>
  fc
    .tuple(
      fc.option(fc.constantFrom(0, 1, 3, 9, 99), { nil: undefined }),
      fc.array(
        fc
          .tuple(
            row,
            depth === 0 ? fc.constant([]) : fc.array(listOf(row, depth - 1), { maxLength: 1 }),
          )
          .map(([children, lists]): ListItem => ({ children, lists })),
        { maxLength: 3 },
      ),
    )
    .map(([start, items]): List => ({
      kind: 'list',
      items,
      ...(start === undefined ? {} : { start }),
    }));

const blockOf = (row: fc.Arbitrary<readonly Inline[]>, depth: number): fc.Arbitrary<Block> => {
  const kinds: (fc.WeightedArbitrary<Block> | fc.MaybeWeightedArbitrary<Block>)[] = [
    { weight: 6, arbitrary: row.map((children): Block => ({ kind: 'paragraph', children })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(1 as const, 2 as const, 3 as const), row)
        .map(([level, children]): Block => ({ kind: 'heading', level, children })),
    },
    { weight: 1, arbitrary: row.map((children): Block => ({ kind: 'subtext', children })) },
    { weight: 1, arbitrary: listOf(row, 2) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.array(anyWords, { maxLength: 3 }),
          fc.constantFrom(undefined, 'js', 'c++', 'no language'),
          fc.boolean(),
        )
        .map(([lines, language, hidden]): Block => ({
          kind: 'code-block',
          text: lines.join('\n'),
          ...(language === undefined ? {} : { language }),
          ...(hidden ? { spoiler: true } : {}),
        })),
    },
  ];
  if (depth > 0)
    kinds.push({
      weight: 1,
      arbitrary: fc
        .array(blockOf(row, depth - 1), { maxLength: 3 })
        .map((children): Block => ({ kind: 'quote', children })),
    });
  return fc.oneof(...kinds);
};

/** Trees of every shape, canonical or not, with mentions and emoji of these platforms. */
export const anyRichText = (
  dialects: readonly Dialect[] = [DISCORD, SLACK],
): fc.Arbitrary<RichText> => {
  const row = fc.array(inlineOf(dialects, 3), { maxLength: 4 });
  return fc.array(blockOf(row, 2), { maxLength: 4 });
};
