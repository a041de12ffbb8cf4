import { z } from 'zod';
import { defineCommand, moderator } from '../src/command/command.ts';
import type { UsageDay } from '../src/command/services.ts';
import { CHART_SIGNS, MINUTE_MS } from '../src/command/helpers.ts';
import { bullets, lines, series } from '../src/model/compose-rich-text.ts';
import type { RichText } from '../src/model/rich-text.ts';

/** More lines nobody reads; the picture shows every day. */
const DAYS_LISTED = 14;

/** Says a duration in seconds, or in minutes from one on. */
const durationOf = (ms: number, locale: string): string => {
  const seconds = Math.ceil(ms / 1_000);
  const [amount, unit] = seconds < 60 ? [seconds, 'second'] : [ms / MINUTE_MS, 'minute'];
  const format = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(amount);
};

export default defineCommand(
  'usage',
  {
    options: z.object({ days: z.enum(['7', '30', '90']).default('30') }),
    guards: [moderator],
    private: true,
    slow: true,
    async run({ options, services, channel, locale, t, reply }) {
      const days = await services.usage.days(channel.space, Number(options.days));
      const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
      const sum = (of: (day: UsageDay) => number): number =>
        days.reduce((total, day) => total + of(day), 0);
      const numbers = (each: Pick<UsageDay, 'characters' | 'audioMs' | 'messages'>): RichText =>
        t('usage.numbers', {
          characters: each.characters,
          audio: durationOf(each.audioMs, locale),
          messages: each.messages,
        });
      const used = days.filter(({ messages }) => messages > 0).toReversed();
      if (used.length === 0)
        return reply({ text: t('usage.none', { days: days.length }), tone: 'note' });
      const total = numbers({
        characters: sum(({ characters }) => characters),
        audioMs: sum(({ audioMs }) => audioMs),
        messages: sum(({ messages }) => messages),
      });
      const listed = used
        .slice(0, DAYS_LISTED)
        .map((day) =>
          series([
            date.format(new Date(day.day)),
            numbers(day),
            t('usage.people', { count: day.people }),
          ]),
        );
      const text = lines(
        t('usage.heading', { days: days.length }),
        total,
        bullets(...listed),
        used.length > DAYS_LISTED && t('usage.more', { count: used.length - DAYS_LISTED }),
        '',
        t('usage.legend', CHART_SIGNS),
      );
      // The numbers stand even where no picture can be drawn.
      await reply({ text });
      const bytes = await services.usageChart(days);
      await reply({ text, files: [{ name: 'usage.png', mediaType: 'image/png', bytes }] });
    },
  },
  { topic: 'server' },
);
