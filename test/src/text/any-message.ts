import * as fc from 'fast-check';

/** A message as people write them, and what in it must come through whole. */
export interface Message {
  readonly text: string;
  /** Addresses, emoji, timestamps, code of one line; without mentions, which are muted. */
  readonly kept: readonly string[];
}

const SENTENCES = [
  'See you at the gate, ok?',
  'I think, therefore I am tired.',
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
  'Ça va bien, merci…',
  'Γεια σου, τι κάνεις;',
  'ما می‌رویم',
  'snake_case is fine; 2 > 1, at 10:30:45',
  'wow!!! 5 * 3 = 15',
];
const words = fc.constantFrom(...SENTENCES, 'one', 'два', '三', 'सात', 'ok', 'lol');

const number = fc.integer({ min: 0, max: 999_999 });
const keptPiece = fc.oneof(
  number.map((n) => `https://example.org/p/${n}?q=a_b_c#top`),
  number.map((n) => `<https://example.org/${n}>`),
  number.map((n) => `<t:17000${n}:R>`),
  number.map((n) => `<a:party_${n}:12345678901234567>`),
  number.map((n) => `\`code(${n}, "**x**") <@5> @here\``),
  fc.constantFrom('🎉', '👩‍👩‍👧', '🇯🇵', '👍🏽', '1️⃣', ':smile:', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', 'mail@example.org'),
);
const mention = fc.constantFrom(
  '<@1>',
  '<@!2>',
  '<@&3>',
  '<#4>',
  '@everyone',
  '@here',
  '<!here>',
  '<!subteam^S1|@team>',
  '<@U123|name>',
  '<#C1|general>',
);

const wordsOnly: fc.Arbitrary<Message> = words.map((text) => ({ text, kept: [] }));
const atom: fc.Arbitrary<Message> = fc.oneof(
  { weight: 5, arbitrary: wordsOnly },
  { weight: 2, arbitrary: keptPiece.map((text) => ({ text, kept: [text] })) },
  { weight: 1, arbitrary: mention.map((text) => ({ text, kept: [] })) },
  {
    weight: 1,
    arbitrary: fc.tuple(words, number).map(([label, n]) => {
      const address = `https://example.org/l/${n}`;
      return { text: `[${label}](${address})`, kept: [address] };
    }),
  },
);

const joined = (parts: readonly Message[], between: string): Message => ({
  text: parts.map(({ text }) => text).join(between),
  kept: parts.flatMap(({ kept }) => kept),
});

const row = (part: fc.Arbitrary<Message>, maxLength: number): fc.Arbitrary<Message> =>
  fc.array(part, { minLength: 1, maxLength }).map((parts) => joined(parts, ' '));

/** Every kind of marker at one depth, so that no two of the same are within each other. */
const marked = (inner: fc.Arbitrary<Message>, ...markers: readonly string[]) =>
  fc
    .tuple(inner, fc.constantFrom(...markers))
    .map(([{ text, kept }, marker]) => ({ text: `${marker}${text}${marker}`, kept }));

const faint = marked(row(atom, 3), '||', '__');
const slanted = marked(row(fc.oneof({ weight: 4, arbitrary: atom }, faint), 4), '*', '~~');
const bold = marked(row(fc.oneof({ weight: 3, arbitrary: atom }, slanted), 5), '**');
const inline = row(fc.oneof({ weight: 8, arbitrary: atom }, faint, slanted, bold), 8);

const prefixed = fc
  .tuple(fc.constantFrom('', '', '', '> ', '- ', '1. ', '# ', '-# ', '>>> '), inline)
  .map(([prefix, { text, kept }]) => ({ text: prefix + text, kept }));

const codeLine = fc.constantFrom(
  'const a = `x${1}`;',
  'if (a ** b > 2 || c) { return "<@1> @everyone"; }',
  '',
  '    indented_line(); // 日本語',
  '# not a heading',
);
const block = fc
  .tuple(
    fc.constantFrom('js\n', 'c++\n', '\n'),
    fc.array(codeLine, { minLength: 1, maxLength: 12 }),
  )
  .map(([language, lines]) => ({
    text: `\`\`\`${language}let first;\n${lines.join('\n')}\n\`\`\``,
    kept: [],
  }));

/** The same, each line quoted. */
const quotedBlock = block.map(({ text, kept }) => ({ text: text.replaceAll(/^/gm, '> '), kept }));

/** Lines of every script with markup, mentions, code, addresses and emoji; well-formed Markdown. */
export const anyMessage: fc.Arbitrary<Message> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: prefixed },
        { weight: 1, arbitrary: fc.oneof(block, quotedBlock) },
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    fc.constantFrom('\n', '\n\n'),
  )
  .map(([lines, between]) => joined(lines, between));
