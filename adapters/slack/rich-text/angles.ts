import { link, mention, text, timestamp, type Inline } from '../../../src/model/rich-text.ts';
import { isSecond, styleOf } from './dates.ts';
import { BROADCASTS, PLATFORM } from './ids.ts';

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
