import { ICON_WIDTH, linesOf, widthOf, type Line, type Span } from './lines.ts';
import {
  BUTTON_LINE,
  GAP_LINE,
  LEFT,
  LINE,
  NAME_LINE,
  RIGHT,
  SIZE,
  SMALL_LINE,
  SMALL_SIZE,
  WIDTH,
} from './look.ts';
import type { Shown } from './record.ts';

const AVATARS: Readonly<Record<string, string>> = { Mia: '#7b4bd6', Luis: '#c2570c' };

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const avatar = (name: string, x: number, y: number, size: number): string => {
  if (name === 'Dragoman')
    return `<svg x="${x}" y="${y}" width="${size}" height="${size}" viewBox="0 0 64 64"><use href="#i-dragoman"/></svg>`;
  const middle = size / 2;
  return (
    `<circle cx="${x + middle}" cy="${y + middle}" r="${middle}" fill="${AVATARS[name]}"/>` +
    `<text x="${x + middle}" y="${y + middle + size * 0.17}" font-size="${size * 0.48}" class="initial">${name[0]}</text>`
  );
};

const spanOf = ({ text, look }: Span): string =>
  look === 'plain' ? escape(text) : `<tspan class="${look}">${escape(text)}</tspan>`;

const heightOf = ({ isSmall, isGap }: Line): number =>
  isGap ? GAP_LINE : isSmall ? SMALL_LINE : LINE;

/** Draws one state of a message, from its upper edge; resolves with its height too. */
export const drawMessage = (
  message: Shown,
  quoted: string | undefined,
): { drawing: string; height: number } => {
  const parts: string[] = [];
  let y = 0;
  const line = ({ icons, indent, spans, isSmall }: Line, height: number): void => {
    const look = isSmall ? 'small' : 'body';
    for (const [index, icon] of icons.entries())
      parts.push(
        `<use href="#i-${icon}" x="${LEFT + index * ICON_WIDTH}" y="${y + height / 2 - 9}" class="icon"/>`,
      );
    const baseline = y + height * 0.72;
    parts.push(
      `<text class="${look}" x="${LEFT + indent}" y="${baseline}">${spans.map(spanOf).join('')}</text>`,
    );
  };
  const width = WIDTH - LEFT - RIGHT;
  if (quoted !== undefined) {
    const [first] = linesOf(`-# ↪ ${quoted}`, SIZE, SMALL_SIZE, width);
    line(first!, SMALL_LINE);
    y += SMALL_LINE;
  }
  parts.push(avatar(message.author, 24, y + 3, 46));
  const nameWidth = Math.round(widthOf(message.author, 'bold', SIZE));
  const mark =
    message.edits > 0 && message.author !== 'Dragoman'
      ? `<text class="small" x="${LEFT + nameWidth + (message.isApp ? 70 : 12)}" y="23">(edited)</text>`
      : '';
  const tag = message.isApp
    ? `<rect x="${LEFT + nameWidth + 8}" y="6" width="48" height="22" rx="5" class="tag"/><text class="app" x="${LEFT + nameWidth + 32}" y="22">APP</text>`
    : '';
  parts.push(
    `<g transform="translate(0 ${y})"><text class="body bold" x="${LEFT}" y="23" textLength="${Math.round(nameWidth * 0.95)}">${message.author}</text>${tag}${mark}</g>`,
  );
  y += NAME_LINE;
  for (const each of linesOf(message.text, SIZE, SMALL_SIZE, width)) {
    const height = heightOf(each);
    if (!each.isGap) line(each, height);
    y += height;
  }
  let x = LEFT;
  for (const label of message.buttons) {
    const [shown = ''] = label.split(' · ');
    const wide = widthOf(shown, 'bold', SMALL_SIZE) + 32;
    parts.push(
      `<rect x="${x}" y="${y + 8}" width="${wide}" height="38" rx="8" class="button"/><text class="small strong" x="${x + wide / 2}" y="${y + 33}" text-anchor="middle">${escape(shown)}</text>`,
    );
    x += wide + 12;
  }
  if (message.buttons.length > 0) y += BUTTON_LINE;
  return { drawing: parts.join(''), height: y };
};
