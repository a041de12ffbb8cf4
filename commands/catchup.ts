import { z } from 'zod';
import { defineCommand, type Press } from '../src/command/command.ts';
import {
  completeLanguage,
  DAY_MS,
  guessedLanguage,
  HOUR_MS,
  languageMenu,
  typedLanguage,
} from '../src/command/helpers.ts';
import type { MissedMessages } from '../src/command/services.ts';
import { rootOf, type Content } from '../src/model/message.ts';
import { lines } from '../src/rich-text/compose.ts';
import { timestamp } from '../src/rich-text/rich-text.ts';
import { plainText } from '../src/rich-text/walk.ts';
import { mostReplies, readFileOf } from './catchup/file.ts';
import { ASKED_ABOVE, languageChoice, MOST_ON_PAGE, readPage } from './catchup/page.ts';
import {
  chats,
  beyond,
  extentOf,
  leftOutNote,
  isNothing,
  missedIn,
  nothing,
  readArg,
  readingButton,
  readingOf,
  readingPress,
  threadsNote,
  type CatchUp,
  type PressedReading,
  type ReadingContext,
} from './catchup/reading.ts';
import { summaryOf } from './catchup/summary.ts';

const SINCE = {
  '1h': { agoMs: HOUR_MS },
  '6h': { agoMs: 6 * HOUR_MS },
  '1d': { agoMs: DAY_MS },
  '2d': { agoMs: 2 * DAY_MS },
  '3d': { agoMs: 3 * DAY_MS },
  '7d': { agoMs: 7 * DAY_MS },
  today: { daysBefore: 0 },
  yesterday: { daysBefore: 1 },
} as const;

/** Asks whether so many messages are to be translated. */
const question = (
  { reading, turn }: PressedReading,
  missed: MissedMessages,
  hasModel: boolean,
  ctx: ReadingContext,
): Content => {
  const { t } = ctx;
  const { messages, leftOut } = missed;
  const characters = messages.reduce((sum, { text }) => sum + plainText(text).length, 0);
  const count = messages.length;
  const more = beyond(reading, missed.next, count, ctx);
  return {
    text: lines(
      t('catchup.many', {
        ...extentOf(reading, missed.next, count),
        characters,
        replies: mostReplies(messages, ctx),
        since: timestamp(reading.since),
        summary: hasModel ? 'yes' : 'no',
      }),
      leftOutNote(leftOut, ctx),
    ),
    controls: [
      readingButton(ctx, ['page', 'catchup.read'], reading, turn),
      ...(hasModel ? [readingButton(ctx, ['summary', 'catchup.summary-button'], reading)] : []),
      readingButton(ctx, ['file', 'catchup.file'], reading, turn),
      ...more.controls,
      languageChoice(reading, turn, ctx),
    ],
  };
};

/** Shows a page, and a summary below it as soon as there is one: pages can be turned meanwhile. */
const showSummed = async (
  { reading, turn }: PressedReading,
  missed: MissedMessages,
  ctx: ReadingContext,
): Promise<void> => {
  const writing = summaryOf(reading, missed.messages, ctx);
  // It may fail before it is waited for.
  writing.catch(() => undefined);
  const page = await readPage(reading, missed, { turn, hasModel: false }, ctx);
  await ctx.reply(page(ctx.t('catchup.summing')));
  const { notes } = beyond(reading, missed.next, missed.messages.length, ctx);
  await ctx.replyBelow({ text: lines(await writing, ...notes) });
};

// The presses of pages keep nobody out: pages are reached with the role, or by the button for everybody.
const onReading = (
  run: (pressed: PressedReading, missed: MissedMessages, ctx: ReadingContext) => Promise<void>,
): Press => ({
  isForEverybody: true,
  async run(ctx) {
    const pressed = readArg(ctx);
    const missed = await missedIn(ctx, pressed.reading.from, pressed.reading.thread);
    if (isNothing(missed)) return ctx.reply(nothing(missed, ctx, pressed.reading));
    await run(pressed, missed, ctx);
  },
});

const page = onReading(async ({ reading, turn }, missed, ctx) => {
  const content = await readPage(reading, missed, { turn, hasModel: await chats(ctx) }, ctx);
  await ctx.reply(content());
});

const file = onReading(async ({ reading, turn }, given, ctx) => {
  const { missed, read, note, more, isWhole, files } = await readFileOf(given, reading, ctx);
  if (isNothing(missed)) return ctx.reply(nothing(missed, ctx, reading));
  // A service that failed is not asked again for the page.
  const controls = [readingButton(ctx, ['page', 'catchup.read'], reading, turn), ...more.controls];
  if (!isWhole) return ctx.reply({ text: lines(note, ...more.notes), files, controls });
  const options = { turn, hasModel: await chats(ctx), known: read };
  await ctx.reply({ ...(await readPage(reading, missed, options, ctx))(note), files });
});

const ask = onReading(async (pressed, missed, ctx) =>
  ctx.reply(question(pressed, missed, await chats(ctx), ctx)),
);

/** Shows what somebody missed: the first page, a summary below it where there is more, or how much it is. */
const show = async (
  reading: CatchUp,
  missed: MissedMessages,
  ctx: ReadingContext,
): Promise<void> => {
  const hasModel = await chats(ctx);
  if (missed.messages.length > ASKED_ABOVE)
    return ctx.reply(question({ reading }, missed, hasModel, ctx));
  if (hasModel && missed.messages.length > MOST_ON_PAGE)
    return showSummed({ reading }, missed, ctx);
  const content = await readPage(reading, missed, { hasModel }, ctx);
  return ctx.reply(content());
};

// What goes on behind counted messages is counted on.
const onward = onReading(async ({ reading }, missed, ctx) =>
  show(reading.before ? reading : readingOf(reading.to, missed), missed, ctx),
);

/** Stands for a language that is not known yet. */
const ANY_LANGUAGE = 'en';

const askLanguage = (reading: CatchUp, ctx: ReadingContext): Content => ({
  text: ctx.t('language.choose'),
  controls: [languageMenu(ctx, readingPress('language', reading))],
});

/** Shows a page in the language that is chosen for it; what somebody is asked for, who has no language, is kept. */
const language: Press = {
  isForEverybody: true,
  async run(ctx) {
    const { member, services, values } = ctx;
    const { reading, turn } = readArg(ctx);
    const to = typedLanguage(values[0] ?? '', services);
    if (!turn) await services.settings.change(member, { language: to });
    const missed = await missedIn(ctx, reading.from, reading.thread);
    if (isNothing(missed)) return ctx.reply(nothing(missed, ctx, { ...reading, to }));
    if (!turn) return show({ ...reading, to }, missed, ctx);
    const isChosen = to !== (await guessedLanguage(ctx));
    const options = { turn, hasModel: await chats(ctx), isChosen };
    const content = await readPage({ ...reading, to }, missed, options, ctx);
    return ctx.reply(content());
  },
};

/** Keeps the language of a page as the person's own. */
const keep: Press = {
  async run(ctx) {
    await ctx.services.settings.change(ctx.member, { language: readArg(ctx).reading.to });
    await page.run(ctx);
  },
};

/** A position behind all others. */
const END = '~';

/** The button of a channel that is translated on request: its last messages, whatever roles `/catchup` is for. */
const recent: Press = {
  private: true,
  isForEverybody: true,
  async run(ctx) {
    const { reply, t } = ctx;
    const missed = await missedIn(ctx, SINCE['1d']);
    const none = lines(t('autotranslate.read-none'), threadsNote(ctx));
    if (isNothing(missed)) return reply({ text: none, tone: 'note' });
    const to = await guessedLanguage(ctx);
    if (to === undefined) return reply(askLanguage(readingOf(ANY_LANGUAGE, missed), ctx));
    const options = { turn: { way: 'back', at: END }, hasModel: await chats(ctx) } as const;
    await reply((await readPage(readingOf(to, missed), missed, options, ctx))());
  },
};

/** `/catchup`, and _Read from here_ in a message's menu: what was written in a channel, in the person's language. */
export default defineCommand(
  'catchup',
  {
    options: z.object({
      since: z
        .enum(['1h', '6h', '1d', '2d', '3d', '7d', 'today', 'yesterday'])
        .optional()
        .meta({ days: { today: 0, yesterday: -1 } }),
      to: z.string().optional(),
    }),
    complete: { to: completeLanguage },
    private: true,
    slow: true,
    onMessage: () => ({}),
    needsNoWords: true,
    async run(ctx) {
      const { on, options, reply, services } = ctx;
      const to =
        options.to === undefined ? await guessedLanguage(ctx) : typedLanguage(options.to, services);
      const since = options.since
        ? { ...SINCE[options.since], timeZone: ctx.member.timeZone }
        : { ...SINCE['1d'], afterOwn: ctx.member.id };
      const missed = await missedIn(ctx, on?.position ?? since, on && rootOf(on));
      const reading = readingOf(to ?? ANY_LANGUAGE, missed);
      const hint = !on && !options.since;
      if (isNothing(missed)) return reply(nothing(missed, ctx, reading, hint));
      await (to === undefined ? reply(askLanguage(reading, ctx)) : show(reading, missed, ctx));
    },
  },
  {
    needs: 'watch',
    topic: 'translation',
    presses: { page, summary: onReading(showSummed), file, ask, onward, language, keep, recent },
  },
);
