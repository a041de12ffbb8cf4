import { z } from 'zod';
import { defineCommand, type CommandContext } from '../src/command/command.ts';
import type { UsageAmounts, UsageDay } from '../src/command/services.ts';
import { CHART_SIGNS, limitAmounts, MINUTE_MS } from '../src/command/helpers.ts';
import { bullets, lines, sections, series } from '../src/rich-text/compose.ts';
import { memberMention } from '../src/model/place.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

/** More lines nobody reads; the picture shows every day. */
const DAYS_LISTED = 14;
const PEOPLE_LISTED = 5;
/** People who are looked at, because some of them may have opted out. */
const PEOPLE_READ = 25;

type Context = Omit<CommandContext<unknown>, 'options'>;

/** Says a duration in seconds, or in minutes from one on. */
const durationOf = (ms: number, locale: string): string => {
  const seconds = Math.ceil(ms / 1_000);
  const [amount, unit] = seconds < 60 ? [seconds, 'second'] : [ms / MINUTE_MS, 'minute'];
  const format = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(amount);
};

const numbers = (
  { characters, audioMs, chatTokens, messages }: UsageAmounts,
  { t, locale }: Context,
): RichText =>
  t('usage.numbers', {
    characters,
    audio: durationOf(audioMs, locale),
    tokens: chatTokens,
    messages,
  });

/** True for use of any kind: some counts as no message of its own. */
const isUsed = ({ characters, audioMs, chatTokens, messages }: UsageAmounts): boolean =>
  characters + audioMs + chatTokens + messages > 0;

/** Says what the asker used today, and may still use. */
const ownUsage = async (ctx: Context): Promise<RichText> => {
  const { services, member, usedIn, t } = ctx;
  const consumer = { space: usedIn, memberId: member.id };
  const used = await services.usage.todayOf(consumer.space, consumer.memberId);
  const left = await services.limits.remaining(consumer);
  const amounts = limitAmounts(left, ctx);
  return lines(
    t('usage.own'),
    isUsed(used) ? numbers(used, ctx) : t('usage.own-none'),
    amounts && t('usage.left', { amounts }),
    (used.chatTokens > 0 || left.chatTokens !== undefined) && t('usage.about-tokens'),
  );
};

/** Says what everybody together may still use today; undefined where there is no limit. */
const leftTogether = async (ctx: Context): Promise<RichText | undefined> => {
  const { services, usedIn, t } = ctx;
  const amounts = limitAmounts(await services.limits.remaining({ space: usedIn }), ctx);
  return amounts && t('usage.left-together', { amounts });
};

/** Lists the people who used most; nobody who opted out is named. */
const topPeople = async (days: number, ctx: Context): Promise<RichText | undefined> => {
  const { services, usedIn: space, named, t } = ctx;
  if (!named) return undefined;
  const people = await services.usage.top(space, days, PEOPLE_READ);
  const optedOut = await Promise.all(
    people.map(({ memberId: id }) => services.privacy.optedOut({ platform: space.platform, id })),
  );
  const listed = people
    .filter((_, index) => !optedOut[index])
    .slice(0, PEOPLE_LISTED)
    .map((each) => series([memberMention(space, each.memberId), numbers(each, ctx)]));
  return listed.length > 0 ? named(lines(t('usage.top'), bullets(...listed))) : undefined;
};

/** Lists what everybody together used, by day. */
const spaceUsage = async (days: readonly UsageDay[], ctx: Context): Promise<RichText> => {
  const { locale, t } = ctx;
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const sum = (of: (day: UsageDay) => number): number =>
    days.reduce((total, day) => total + of(day), 0);
  const used = days.filter(isUsed).toReversed();
  const total = numbers(
    {
      characters: sum(({ characters }) => characters),
      audioMs: sum(({ audioMs }) => audioMs),
      chatTokens: sum(({ chatTokens }) => chatTokens),
      messages: sum(({ messages }) => messages),
    },
    ctx,
  );
  const listed = used
    .slice(0, DAYS_LISTED)
    .map((day) =>
      series([
        date.format(new Date(day.day)),
        numbers(day, ctx),
        t('usage.people', { count: day.people }),
      ]),
    );
  return lines(
    t('usage.heading', { days: days.length }),
    total,
    bullets(...listed),
    used.length > DAYS_LISTED && t('usage.more', { count: used.length - DAYS_LISTED }),
    await leftTogether(ctx),
  );
};

export default defineCommand(
  'usage',
  {
    options: z.object({ days: z.enum(['7', '30', '90']).default('30') }),
    private: true,
    slow: true,
    async run({ options, ...ctx }) {
      const { services, member, usedIn, t, reply } = ctx;
      const own = await ownUsage(ctx);
      // How much others use is not for everybody to know.
      if (member.role !== 'moderator') return reply({ text: own });
      const days = await services.usage.days(usedIn, Number(options.days));
      if (!days.some(isUsed)) {
        const none = lines(t('usage.none', { days: days.length }), await leftTogether(ctx));
        return reply({ text: sections(none, own), tone: 'note' });
      }
      const text = sections(
        await spaceUsage(days, ctx),
        await topPeople(days.length, ctx),
        own,
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
