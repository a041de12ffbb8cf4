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
} from '../../../src/rich-text/rich-text.ts';

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

/** Slack's date formats by the style of a timestamp. */
export const DATE_FORMATS: Readonly<Record<TimestampStyle, string>> = {
  t: '{time}',
  T: '{time_secs}',
  d: '{date_num}',
  D: '{date}',
  f: '{date} at {time}',
  F: '{date_long} at {time}',
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

const sign = /^[@#]/;
const date = /^!date\^(?<seconds>-?\d{1,16})\^(?<format>[^^]*)(?:\^(?<url>.*))?$/;
const address = /^(?:https?:\/\/|mailto:|tel:)./i;

/** Parses the text between `<` and `>`; undefined where it is no markup of Slack. */
export const readAngle = (written: string): Inline | undefined => {
  const bar = written.indexOf('|');
  const what = bar < 0 ? written : written.slice(0, bar);
  const label = bar < 0 ? '' : unescape(written.slice(bar + 1));
  const name = label.replace(sign, '') || undefined;
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
