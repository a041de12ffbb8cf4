import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDiscord } from '../../../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../../../adapters/discord/rich-text/render.ts';
import { text as words, type Mention, type RichText } from '../../../src/rich-text/rich-text.ts';
import { map, plainText } from '../../../src/rich-text/walk.ts';
import { protect } from '../../../src/text/protect/protect.ts';
import { splitRichText } from '../../../src/text/split/split-rich-text.ts';
import { discordPings } from '../../fakes/read-pings.ts';
import { anyMessage, type Message } from './any-message.ts';

const TOKEN = /⟦\d+⟧/g;
const partsOf = (text: string): string[] => text.split(/(⟦\d+⟧| +|\n+)/).filter((x) => x !== '');

/** What engines do to a text with tokens; `pick` says where. */
const ENGINES: Readonly<Record<string, (text: string, pick: number) => string>> = {
  'copies it': (text) => text,
  shouts: (text) => text.toUpperCase(),
  'turns the words of each line around': (text) =>
    text
      .split('\n')
      .map((line) => partsOf(line).toReversed().join(''))
      .join('\n'),
  'moves one token to the front': (text, pick) => {
    const tokens = text.match(TOKEN) ?? [];
    const token = tokens[pick % Math.max(1, tokens.length)] ?? '';
    return `${token} ${text.replace(token, '')}`;
  },
  'loses a token': (text, pick) => {
    const tokens = text.match(TOKEN) ?? [];
    return text.replace(tokens[pick % Math.max(1, tokens.length)] ?? '', '');
  },
  'loses all tokens': (text) => text.replaceAll(TOKEN, ''),
  'loses all words': (text) => (text.match(TOKEN) ?? []).join(''),
  'invents tokens': (text, pick) => `⟦${pick + 500}⟧${text} ⟦`,
  'repeats itself': (text) => `${text} ${text}`,
  'writes other brackets': (text) => text.replaceAll('⟦', '[').replaceAll('⟧', ']'),
  'writes Arabic digits, right to left': (text) =>
    text.replaceAll(
      /⟦(\d+)⟧/g,
      (_, digits: string) =>
        `⟦\u200F${digits.replaceAll(/\d/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0x630))}⟧`,
    ),
  'writes spaces and wide digits': (text) =>
    text.replaceAll(
      /⟦(\d+)⟧/g,
      (_, digits: string) =>
        ` ⟦ ${digits.replaceAll(/\d/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0))} ⟧ `,
    ),
};
const FAITHFUL = new Set(['copies it', 'shouts', 'turns the words of each line around']);

const HOSTILE_NAMES = [
  'everyone',
  '`*||**_',
  '](https://evil.example)',
  '<@9>',
  '```',
  'Ann',
  '\\',
];
const withName = (mention: Mention): Mention => {
  const { target, id } = mention;
  const which = (target.length + id.length + id.charCodeAt(0)) % (HOSTILE_NAMES.length + 1);
  const name = HOSTILE_NAMES[which];
  return name === undefined ? mention : { ...mention, name };
};

// Read here without the project's own parsers.
const CODE = /```[^]*?```|`[^`\n]*`/g;
const ADDRESS = /https:\/\/example\.org\/(?:[pl]\/)?\d+(?:\?q=a_b_c#top)?/g;
const PING = /<(?:@[!&]?|#|!)\w|@(?:everyone|here|channel)/i;
const ESCAPED = /\\[^\s\w]/g;
const MARKS = ['**', '~~', '||', '__'];

const prose = (text: string): string =>
  text.replaceAll(ESCAPED, '').replaceAll(CODE, ' ').replaceAll(ADDRESS, ' ');

const countOf = (text: string, part: string): number => text.split(part).length - 1;

const oddMarks = (text: string): string[] => {
  const fences = countOf(text.replaceAll(ESCAPED, ''), '```');
  const odd = MARKS.filter((mark) => countOf(prose(text), mark) % 2 === 1);
  return fences % 2 === 1 ? ['```', ...odd] : odd;
};

/** As nodes, for in plain text the digits of a time after an address would belong to it. */
const withoutAddresses = (tree: RichText): RichText =>
  map(tree, (node) => (node.kind === 'link' && node.children.length === 0 ? words('') : node));

const visible = (...trees: readonly RichText[]): string =>
  trees
    .map((tree) => plainText(withoutAddresses(tree)))
    .join('\n')
    .replaceAll(/\s/g, '');

const fault = (rich: RichText, kept: readonly string[], limit: number): string | undefined => {
  const muted = renderDiscord(rich);
  if (PING.test(prose(muted))) return `pings: ${JSON.stringify(muted)}`;
  const split = splitRichText(rich, {
    render: (tree) => renderDiscord(tree),
    limit,
    lastRoom: 20,
  });
  const pieces = split.map(({ written }) => written);
  const shown = (): string => JSON.stringify(pieces, undefined, 1);
  if (pieces.some((piece) => piece.length > limit)) return `too long: ${shown()}`;
  if ((pieces.at(-1)?.length ?? 0) > limit - 20) return `no room at the end: ${shown()}`;
  if (pieces.some((piece) => PING.test(prose(piece)) || discordPings(piece).length > 0))
    return `a piece pings: ${shown()}`;
  const odd = pieces.flatMap(oddMarks);
  if (odd.length > 0) return `broken ${odd.join(' ')} in ${shown()}`;
  const lost = kept.find((part) => !pieces.some((piece) => piece.includes(part)));
  if (lost) return `lost or cut ${lost}: ${shown()}`;
  if (visible(...split.map(({ tree }) => tree)) !== visible(rich))
    return `other words: ${shown()}\nthan in ${JSON.stringify(muted)}`;
  return undefined;
};

/** A message of whose last quoted line only the mark and the end of a spoiler are left without words. */
const SPOILER_WITH_BREAK: Message = {
  text: [
    '```js\nlet first;\nconst a = `x${1}`;\nconst a = `x${1}`;',
    'if (a ** b > 2 || c) { return "<@1> @everyone"; }\n```',
    '> https://example.org/p/1000?q=a_b_c#top See you at the gate, ok?',
    '[See you at the gate, ok?](https://example.org/l/10000)',
    '> *||See you at the gate, ok?|| See you at the gate, ok?* See you at the gate, ok?',
  ].join('\n'),
  kept: ['https://example.org/p/1000?q=a_b_c#top', 'https://example.org/l/10000'],
};

describe('messages through engines that change their tokens', () => {
  it('come out without ping, loss or broken markup, also in pieces', () => {
    fc.assert(
      fc.property(
        anyMessage,
        fc.constantFrom(...Object.keys(ENGINES)),
        fc.nat(99),
        fc.constantFrom(200, 300, 500, 2000),
        (message, engine, pick, limit) => {
          const tree = map(parseDiscord(message.text), (node) =>
            node.kind === 'mention' ? withName(node) : node,
          );
          const { text, restore } = protect(tree);
          const translated = ENGINES[engine]?.(text, pick) ?? '';
          const back = restore(translated);
          if (FAITHFUL.has(engine)) expect(back.ok, translated).toBe(true);
          if (engine === 'copies it') expect(back.tree).toEqual(tree);
          expect(renderDiscord(back.tree)).not.toMatch(/[⟦⟧]/);
          expect(fault(back.tree, message.kept, limit)).toBeUndefined();
        },
      ),
      { examples: [[SPOILER_WITH_BREAK, 'loses all words', 0, 200]] },
    );
  });
});
