import {
  isSecond,
  link,
  mention,
  text,
  timestamp,
  type CustomEmoji,
  type Inline,
  type Mention,
  type TimestampStyle,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import names from './emoji.json' with { type: 'json' };
import { map } from '../../../src/rich-text/walk.ts';
import { qualifiedEmoji } from '../../../src/text/emoji.ts';

export const PLATFORM = 'slack';

const BROADCASTS = new Set(['here', 'channel', 'everyone']);
const IDS: Readonly<Partial<Record<Mention['target'], RegExp>>> = {
  member: /^[UWB][A-Z0-9]{0,30}$/,
  channel: /^[CGD][A-Z0-9]{0,30}$/,
  group: /^S[A-Z0-9]{0,30}$/,
  broadcast: /^(?:here|channel|everyone)$/,
};

/** True for a mention that Slack can show. */
export const isKnownMention = ({ platform, target, id }: Mention): boolean =>
  platform === PLATFORM && (IDS[target]?.test(id) ?? false);

/**
 * Names contain a letter, so that the middle of `10:30:45` is none; a few of Slack's own are
 * numbers.
 */
export const EMOJI_NAME = String.raw`(?:100|1234|[+-]1|[\p{N}_'+\-]{0,100}[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{M}\p{N}_'+\-]{0,100})(?:::skin-tone-[2-6])?`;
const emojiName = new RegExp(`^${EMOJI_NAME}$`, 'u');

export const isKnownEmoji = ({ platform, name }: CustomEmoji): boolean =>
  platform === PLATFORM && emojiName.test(name);

/** Slack's date formats by the style of a timestamp: Slack writes them in its user's language and time zone. */
export const DATE_FORMATS: Readonly<Record<TimestampStyle, string>> = {
  t: '{time}',
  T: '{time_secs}',
  d: '{date_num}',
  D: '{date}',
  f: '{date_short_pretty} {time}',
  F: '{date_long_pretty} {time}',
  R: '{ago}',
};

/** The style nearest to a format. */
export const styleOf = (format: string): TimestampStyle => {
  const has = (word: string): boolean => format.includes(`{${word}`);
  if (has('ago')) return 'R';
  if (has('date') || has('day_divider')) {
    if (has('time')) return has('date_long') ? 'F' : 'f';
    return has('date_num') ? 'd' : 'D';
  }
  if (has('time_secs')) return 'T';
  return has('time') ? 't' : 'f';
};

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

export const unescape = (written: string): string =>
  written.includes('&')
    ? written.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    : written;

export const escape = (written: string): string =>
  written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const nameSign = /^[@#]/;
const date = /^!date\^(?<seconds>-?\d{1,16})\^(?<format>[^^]*)(?:\^(?<url>.*))?$/;
const address = /^(?:https?:\/\/|mailto:|tel:)./i;

/** Parses the text between `<` and `>`; undefined where it is no markup of Slack. */
export const readAngle = (written: string): Inline | undefined => {
  const bar = written.indexOf('|');
  const what = bar < 0 ? written : written.slice(0, bar);
  const label = bar < 0 ? '' : unescape(written.slice(bar + 1));
  const name = label.replace(nameSign, '') || undefined;
  const id = what.slice(1);
  if (what.startsWith('@') && /^\w+$/.test(id)) return mention(PLATFORM, 'member', id, name);
  if (what.startsWith('#') && /^\w+$/.test(id)) return mention(PLATFORM, 'channel', id, name);
  if (what.startsWith('!subteam^')) return mention(PLATFORM, 'group', what.slice(9), name);
  if (what.startsWith('!') && BROADCASTS.has(id)) return mention(PLATFORM, 'broadcast', id);
  const moment = date.exec(what)?.groups;
  if (moment) {
    const seconds = Number(moment['seconds']);
    if (!isSecond(seconds)) return text(label);
    const node = timestamp(seconds, styleOf(moment['format'] ?? ''));
    return moment['url'] ? link(unescape(moment['url']), node) : node;
  }
  if (!address.test(what)) return undefined;
  const url = unescape(what);
  return label === '' ? link(url) : link(url, text(label));
};

const known: Readonly<Record<string, string | undefined>> = names;

const SKIN_TONES: Readonly<Record<number, string>> = {
  2: '\u{1F3FB}',
  3: '\u{1F3FC}',
  4: '\u{1F3FD}',
  5: '\u{1F3FE}',
  6: '\u{1F3FF}',
};
const skin = /[\u{1F3FB}-\u{1F3FF}]/u;
/** A person or a part of one, which takes a tone; hands that join two people take none. */
const person =
  /(?<!\u200D)(?<hands>\u{1F91D})|(?!\u{1F91D})(?<one>\p{Emoji_Modifier_Base})\uFE0F?/gu;

/** An emoji with a skin tone of Slack's, from 2 to 6; one that has a tone keeps it. */
export const withTone = (drawn: string, tone: number | undefined): string => {
  const sign = tone === undefined ? undefined : SKIN_TONES[tone];
  // The tone takes the place of the variation selector.
  return sign === undefined || skin.test(drawn)
    ? drawn
    : drawn.replaceAll(person, `$<hands>$<one>${sign}`);
};

const toned = /^(?<name>.+?)::skin-tone-(?<tone>[2-6])$/;

/** The Unicode emoji of Slack's name for it, skin tone included; undefined for custom emoji. */
export const unicodeOf = (name: string): string | undefined => {
  const groups = toned.exec(name)?.groups;
  if (!groups) return Object.hasOwn(names, name) ? known[name] : undefined;
  const plain = unicodeOf(groups['name'] ?? '');
  return plain === undefined ? undefined : withTone(plain, Number(groups['tone']));
};

let namesBySign: ReadonlyMap<string, string> | undefined;

/** The first name of each emoji. */
const bySign = (): ReadonlyMap<string, string> =>
  (namesBySign ??= new Map(
    Object.entries(names)
      .map(([name, drawn]) => [drawn, name] as const)
      .toReversed(),
  ));

/** Slack's name for a Unicode emoji, skin tone included; undefined where it has none. */
export const emojiNameOf = (emoji: string): string | undefined => {
  const plain = bySign().get(emoji);
  if (plain !== undefined) return plain;
  const tone = [2, 3, 4, 5, 6].find((each) => emoji.includes(SKIN_TONES[each] ?? ''));
  const base =
    tone === undefined ? undefined : bySign().get(qualifiedEmoji(emoji.replace(skin, '')) ?? '');
  return base !== undefined && withTone(known[base] ?? '', tone) === emoji
    ? `${base}::skin-tone-${tone}`
    : undefined;
};

/** An emoji that people reacted with, as the core names it: Unicode's, or the name of a custom one. */
export const reactionOf = (name: string): string => unicodeOf(name) ?? name;

/** A text with each emoji that is Unicode's as text, so that it is an emoji on every platform. */
export const withUnicodeEmoji = (tree: RichText): RichText =>
  map(tree, (node): Inline => {
    if (node.kind !== 'emoji' || node.platform !== PLATFORM) return node;
    const unicode = unicodeOf(node.name);
    return unicode === undefined ? node : text(unicode);
  });
