import * as fc from 'fast-check';
import type { ComposedElement } from './slack/driver/compose.ts';

/** What has to be seen of a part of a message wherever it is mirrored. */
export type Kept =
  | { readonly kind: 'link'; readonly url: string }
  /** Words that stand for a mention, such as a person's name. */
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'emoji'; readonly emoji: string }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'code-block'; readonly code: string }
  | { readonly kind: 'date'; readonly seconds: number }
  /** A list's item, known by a link in it; `indent` is the depth of its list. */
  | {
      readonly kind: 'item';
      readonly url: string;
      readonly indent: number;
      readonly isNumbered: boolean;
    }
  /** A quoted line, known by a link in it. */
  | { readonly kind: 'quote'; readonly url: string };

/** A message as Slack's composer sends it. */
export interface ComposedMessage {
  readonly elements: readonly ComposedElement[];
  readonly kept: readonly Kept[];
}

/** Whom and what people mention: ids in their workspace, and the names that others see. */
export interface Mentionable {
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}

const WORDS = [
  'See you at the gate, ok?',
  'Nos vemos mañana, ¿vale?',
  'Könntest du das bitte prüfen!',
  'Завтра в пять часов.',
  'これは、とても長い一日でした。',
  '明天我们去吃饭吧！',
  '오늘은 회의가 있어요.',
  'วันนี้อากาศดีมาก',
  'नमस्ते, आप कैसे हैं?',
  'مرحبا، كيف حالك اليوم؟',
  'שלום, מה שלומך?',
  'ما می‌رویم',
  'He said “yes”, she said ‘no’ – that’s all…',
  'snake_case is fine; 2 > 1 && 3 < 4, at 10:30:45',
  'R&D &amp; <b>more</b> &lt;here&gt;',
  '2 * 3 * 4 = 24 ~ roughly ~ and __init__',
] as const;

/** Words that would be markup, or notify somebody, where they are not escaped. */
const HOSTILE = [
  '<!channel>',
  '<!here|here> now',
  '<@U1> and <@U1|ann>',
  '<!subteam^S1|@team>',
  '@everyone @here @channel',
  '@\u200Beveryone',
  '<@1> <@!2> <@&3> <#4>',
  '-# 🌐 [Spanish](<https://evil.example/1>)',
  '🌐 English',
  '[click](https://evil.example)',
  '*bold* _it_ ~no~ `x` **b** ||s||',
  '```js',
  '> quoted?',
  '- listed?',
  '⟦1⟧ ⟦99⟧',
  'zero\u200Bwidth\u2060signs\u00AD',
  '\u202Eturned\u202C',
  ':smile: :notanemoji:',
  '<t:1700000000:R> <:n:1>',
] as const;

/** Emoji by Slack's names, with the signs that others see. */
const EMOJI = [
  { name: 'tada', unicode: '1f389', sign: '🎉' },
  { name: '+1', unicode: '1f44d', sign: '👍' },
  { name: 'heart', unicode: '2764-fe0f', sign: '❤' },
  { name: 'jp', unicode: '1f1ef-1f1f5', sign: '🇯🇵' },
  { name: 'wave', unicode: '1f44b-1f3fc', sign: '👋🏼', skin_tone: 3 },
  { name: 'party_parrot', sign: ':party_parrot:' },
  { name: 'ship-it', sign: ':ship-it:' },
] as const;
const SIGNS = ['🎉', '👩‍👩‍👧', '🇯🇵', '👍🏽', '1️⃣', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'] as const;

const FORMATS = ['{date} at {time}', '{date_long}', '{ago}', '{time}'] as const;

const text = (words: string, style?: Readonly<Record<string, boolean>>): ComposedElement => ({
  type: 'text',
  text: words,
  ...(style ? { style } : {}),
});
const link = (url: string): ComposedElement => ({ type: 'link', url });

type Piece = ComposedMessage;
const piece = (element: ComposedElement, ...kept: readonly Kept[]): Piece => ({
  elements: [element],
  kept,
});

const joined = (pieces: readonly Piece[]): Piece => ({
  elements: pieces.flatMap(({ elements }, index) =>
    index === 0 ? elements : [text(' '), ...elements],
  ),
  kept: pieces.flatMap(({ kept }) => kept),
});

const STYLES = [undefined, undefined, { bold: true }, { italic: true }, { strike: true }] as const;

/** Messages that hold everything that Slack's composer can, with hostile words between. */
export const anyComposedMessage = ({
  people,
  channels,
  groups,
}: Mentionable): fc.Arbitrary<ComposedMessage> => {
  const number = fc.integer({ min: 1_000_000, max: 9_999_999 });
  const styled = fc
    .tuple(fc.constantFrom(...WORDS, ...HOSTILE), fc.constantFrom(...STYLES))
    .map(([words, style]) => piece(text(words, style)));
  const mentions = fc.oneof(
    fc
      .constantFrom(...people)
      .map(({ id, name }) => piece({ type: 'user', user_id: id }, { kind: 'mention', name })),
    fc
      .constantFrom(...channels)
      .map(({ id, name }) => piece({ type: 'channel', channel_id: id }, { kind: 'mention', name })),
    fc
      .constantFrom(...groups)
      .map(({ id, name }) =>
        piece({ type: 'usergroup', usergroup_id: id }, { kind: 'mention', name }),
      ),
    fc
      .constantFrom('here', 'channel', 'everyone')
      .map((range) => piece({ type: 'broadcast', range }, { kind: 'mention', name: range })),
  );
  const links = fc
    .tuple(number, fc.option(fc.constantFrom(...WORDS, 'here', '](x)'), { nil: undefined }))
    .map(([n, label]) => {
      const url = `https://example.org/p/${n}?q=a_b_c&r=*2*#top`;
      const element = { ...link(url), ...(label === undefined ? {} : { text: label }) };
      return piece(element, { kind: 'link', url });
    });
  const emoji = fc.oneof(
    fc
      .constantFrom(...EMOJI)
      .map(({ sign, ...rest }) =>
        piece({ type: 'emoji', ...rest }, { kind: 'emoji', emoji: sign }),
      ),
    fc.constantFrom(...SIGNS).map((sign) => piece(text(sign), { kind: 'emoji', emoji: sign })),
  );
  const code = number.map((n) => {
    const written = `code(${n}, "**x**") <@5> @here`;
    return piece(text(written, { code: true }), { kind: 'code', code: written });
  });
  const date = fc
    .tuple(fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }), fc.constantFrom(...FORMATS))
    .map(([seconds, format]) =>
      piece(
        { type: 'date', timestamp: seconds, format, fallback: 'some day' },
        { kind: 'date', seconds },
      ),
    );
  const inline = fc.oneof(
    { weight: 5, arbitrary: styled },
    { weight: 2, arbitrary: mentions },
    { weight: 2, arbitrary: links },
    { weight: 2, arbitrary: emoji },
    { weight: 1, arbitrary: code },
    { weight: 1, arbitrary: date },
  );
  const row = fc.array(inline, { minLength: 1, maxLength: 5 }).map(joined);
  /** A row that is known by a link at its beginning. */
  const known = fc.tuple(number, row).map(([n, { elements, kept }]) => {
    const url = `https://example.org/i/${n}`;
    return { url, elements: [link(url), text(' '), ...elements], kept };
  });

  const section = row.map(({ elements, kept }): Piece => ({
    elements: [{ type: 'rich_text_section', elements: [...elements, text('\n')] }],
    kept,
  }));
  const quote = known.map(({ url, elements, kept }): Piece => ({
    elements: [{ type: 'rich_text_quote', elements }],
    kept: [{ kind: 'quote', url }, ...kept],
  }));
  const listOf = (indent: number, style: string) =>
    fc.array(known, { minLength: 1, maxLength: 3 }).map((items): Piece => ({
      elements: [
        {
          type: 'rich_text_list',
          style,
          indent,
          border: 0,
          elements: items.map(({ elements }) => ({ type: 'rich_text_section', elements })),
        },
      ],
      kept: items.flatMap(({ url, kept }) => [
        { kind: 'item', url, indent, isNumbered: style === 'ordered' } as const,
        ...kept,
      ]),
    }));
  const style = fc.constantFrom('bullet', 'ordered');
  const nested = fc
    .tuple(style, style, fc.integer({ min: 1, max: 3 }))
    .chain(([outer, inner, depth]) =>
      fc.tuple(
        ...Array.from({ length: depth }, (_, indent) =>
          listOf(indent, indent === 0 ? outer : inner),
        ),
      ),
    )
    .map((lists): Piece => ({
      elements: lists.flatMap(({ elements }) => elements),
      kept: lists.flatMap(({ kept }) => kept),
    }));
  const block = number.map((n): Piece => {
    const written = `if (a ** b > ${n} || c) {\n  return "<@1> @everyone <!here>";\n}`;
    return {
      elements: [{ type: 'rich_text_preformatted', border: 0, elements: [text(written)] }],
      kept: [{ kind: 'code-block', code: written }],
    };
  });
  return fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: section },
        { weight: 1, arbitrary: quote },
        { weight: 2, arbitrary: nested },
        { weight: 1, arbitrary: block },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => ({
      elements: parts.flatMap(({ elements }) => elements),
      kept: parts.flatMap(({ kept }) => kept),
    }));
};

/** A message that can be told from all others by a link at its beginning. */
export const numbered = (
  { elements, kept }: ComposedMessage,
  index: number,
): ComposedMessage & { readonly url: string } => {
  const url = `https://example.org/m/${index}/`;
  const first = { type: 'rich_text_section', elements: [link(url), text(' so it begins:\n')] };
  return { url, elements: [first, ...elements], kept: [{ kind: 'link', url }, ...kept] };
};

const TOKEN = /⟦\d+⟧/g;

/** What engines make of a text with tokens: most keep them, some are careless. */
const ENGINES: readonly ((text: string) => string)[] = [
  (words) => words.replaceAll(TOKEN, (token) => ` ⟦ ${token.slice(1, -1)} ⟧ `),
  (words) => words.replaceAll(TOKEN, ''),
  (words) => words.replace(TOKEN, ''),
  (words) =>
    words
      .split('\n')
      .map((line) =>
        line
          .split(/(⟦\d+⟧|\s+)/)
          .toReversed()
          .join(''),
      )
      .join('\n'),
  (words) => `${words} ${words}`,
  (words) => words.replaceAll('⟦', '[').replaceAll('⟧', ']'),
];

/** Changes the words of a text; a third of all texts is changed as careless engines do. */
export const carelessTranslation = (words: string): string => {
  const changed = words.replaceAll(/\p{Script=Latin}{3,}/gu, (word) =>
    Array.from(word).toReversed().join(''),
  );
  const pick = Array.from(words).reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0);
  const engine = ENGINES[pick % (ENGINES.length * 3)];
  return engine ? engine(changed) : changed;
};
