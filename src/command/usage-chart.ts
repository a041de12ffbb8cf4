import { fileURLToPath } from 'node:url';
import { AppError } from '../errors.ts';
import type { UsageDay } from '../store/usage.ts';
import { MINUTE_MS } from '../async/clock.ts';

const WIDTH = 960;
const LEFT = 76;
const RIGHT = 32;

/**
 * The ground is transparent, so these stand on light and dark ones: a contrast of 3.3 or more to
 * those of the page and of Discord.
 */
const LINE = '#7f879459';
const INK = '#7f8794';
const COLOURS = {
  characters: '#4d86e8',
  audio: '#d0711b',
  chat: '#a573e0',
  people: '#3a9a4a',
} as const;
/** The colours as the legend shows them. */
export const CHART_SIGNS = { characters: '🟦', audio: '🟧', chat: '🟪', people: '🟩' } as const;

interface Row {
  readonly colour: string;
  readonly top: number;
  readonly height: number;
  readonly values: readonly number[];
}

const numbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Rounds up to 1, 2 or 5 times a power of ten, for the top of an axis. */
const niceTop = (largest: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= largest) ?? largest;
};

const text = (x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;

const rowOf = ({ colour, top, height, values }: Row, xOf: (index: number) => number): string => {
  const most = niceTop(Math.max(...values));
  const slot = xOf(1) - xOf(0);
  const width = Math.max(2, slot * 0.7);
  const bottom = top + height;
  const bars = values.map((value, index) => {
    if (value === 0) return '';
    // A small value stays visible beside large ones.
    const tall = Math.max(2, (value / most) * height);
    const x = xOf(index) + (slot - width) / 2;
    return `<rect x="${x.toFixed(1)}" y="${(bottom - tall).toFixed(1)}" width="${width.toFixed(1)}" height="${tall.toFixed(1)}" rx="2" fill="${colour}"/>`;
  });
  const lines = [0, 0.5, 1].map((share) => {
    const y = bottom - share * height;
    return `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="${LINE}"/>`;
  });
  return [
    ...lines,
    text(LEFT - 12, top + 7, numbers.format(most), 'end'),
    text(LEFT - 12, bottom + 7, '0', 'end'),
    ...bars,
  ].join('');
};

/** Most dates that fit beside each other. */
const DATES = 8;

const datesOf = (days: readonly UsageDay[], y: number, xOf: (index: number) => number): string => {
  const step = Math.max(1, Math.ceil(days.length / DATES));
  const half = (xOf(1) - xOf(0)) / 2;
  return days
    .map(({ day }, index) =>
      (days.length - 1 - index) % step === 0
        ? text(xOf(index) + half, y, day.slice(5), 'middle')
        : '',
    )
    .join('');
};

/**
 * Draws days as four rows of bars, from above: characters, minutes of audio, chat tokens, people.
 * There are no words in it, only numbers and dates, so that it is the same in every language.
 */
export const usageSvg = (days: readonly UsageDay[]): string => {
  const rows: Row[] = [
    {
      colour: COLOURS.characters,
      top: 24,
      height: 170,
      values: days.map(({ characters }) => characters),
    },
    {
      colour: COLOURS.audio,
      top: 222,
      height: 100,
      values: days.map(({ audioMs }) => audioMs / MINUTE_MS),
    },
    { colour: COLOURS.chat, top: 350, height: 100, values: days.map((day) => day.chatTokens) },
    { colour: COLOURS.people, top: 478, height: 50, values: days.map(({ people }) => people) },
  ];
  const slot = (WIDTH - LEFT - RIGHT) / Math.max(1, days.length);
  const xOf = (index: number): number => LEFT + index * slot;
  const height = 568;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}">`,
    `<g font-family="DejaVu Sans" font-size="20" fill="${INK}">`,
    ...rows.map((row) => rowOf(row, xOf)),
    datesOf(days, height - 14, xOf),
    '</g></svg>',
  ].join('');
};

/**
 * Renders the chart as PNG, in a thread of the library. The library is loaded when first needed,
 * because its native part is missing on some machines: then rejects with `unsupported`.
 */
export const usageChart = async (days: readonly UsageDay[]): Promise<Uint8Array> => {
  const { renderAsync } = await import('@resvg/resvg-js').catch((cause: unknown) => {
    throw new AppError('unsupported', 'there is no @resvg/resvg-js for this machine', {
      cause,
      sentence: { key: 'usage.no-picture' },
    });
  });
  const font = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));
  const image = await renderAsync(usageSvg(days), {
    font: { loadSystemFonts: false, fontFiles: [font], defaultFontFamily: 'DejaVu Sans' },
    logLevel: 'off',
  });
  return image.asPng();
};
