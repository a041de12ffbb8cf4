import { z } from 'zod';
import { defineCommand, type Press } from '../src/command/command.ts';
import {
  button,
  completeLanguage,
  DAY_MS,
  HOUR_MS,
  readerLanguage,
  typedLanguage,
} from '../src/command/helpers.ts';
import type { MissedMessages } from '../src/command/services.ts';
import type { Content } from '../src/model/message.ts';
import { lines } from '../src/rich-text/compose.ts';
import { plainText } from '../src/rich-text/walk.ts';
import { fileContent } from './catchup/file.ts';
import { ASKED_ABOVE, MOST_ON_PAGE, readPage } from './catchup/page.ts';
import {
  chats,
  leftOutNote,
  isNothing,
  missedIn,
  nothing,
  readArg,
  readingButton,
  type CatchUp,
  type ReadingContext,
} from './catchup/reading.ts';
import { SUMMARY_CHARS, summaryOf } from './catchup/summary.ts';

const AGO_MS = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '1d': DAY_MS,
  '3d': 3 * DAY_MS,
  '7d': 7 * DAY_MS,
} as const;

/** Asks whether so many messages are to be translated. */
const question = (
  reading: CatchUp,
  { messages, isCut, leftOut }: MissedMessages,
  hasModel: boolean,
  ctx: ReadingContext,
): Content => {
  const { t } = ctx;
  const characters = messages.reduce((sum, { text }) => sum + plainText(text).length, 0);
  const count = messages.length;
  return {
    text: lines(
      t('catchup.many', { count, characters }),
      isCut && t('catchup.cut', { count }),
      leftOutNote(leftOut, ctx),
    ),
    controls: [
      readingButton(ctx, ['page', 'catchup.read'], reading),
      ...(hasModel ? [readingButton(ctx, ['summary', 'catchup.summary-button'], reading)] : []),
      readingButton(ctx, ['file', 'catchup.file'], reading),
    ],
  };
};

/** Shows the first page, and a summary above it as soon as there is one. */
const showSummed = async (
  reading: CatchUp,
  missed: MissedMessages,
  ctx: ReadingContext,
): Promise<void> => {
  const options = { summaryChars: SUMMARY_CHARS, hasModel: true };
  const page = await readPage(reading, missed, options, ctx);
  // Nothing can be pressed meanwhile: the summary would come in place of what that showed.
  await ctx.reply({ text: page(ctx.t('catchup.summing')).text });
  await ctx.reply(page(await summaryOf(missed.messages, reading.to, ctx)));
};

const page: Press = {
  async run(ctx) {
    const { reading, turn } = readArg(ctx);
    const missed = await missedIn(ctx, reading.from);
    if (isNothing(missed)) return ctx.reply(nothing(missed, ctx));
    const content = await readPage(reading, missed, { turn, hasModel: await chats(ctx) }, ctx);
    await ctx.reply(content());
  },
};

const summary: Press = {
  async run(ctx) {
    const { reading } = readArg(ctx);
    const missed = await missedIn(ctx, reading.from);
    await (isNothing(missed) ? ctx.reply(nothing(missed, ctx)) : showSummed(reading, missed, ctx));
  },
};

const file: Press = {
  private: true,
  async run(ctx) {
    await ctx.reply(await fileContent(readArg(ctx).reading, ctx));
  },
};

const ask: Press = {
  private: true,
  async run(ctx) {
    const { reading } = readArg(ctx);
    const missed = await missedIn(ctx, reading.from);
    await ctx.reply(
      isNothing(missed) ? nothing(missed, ctx) : question(reading, missed, await chats(ctx), ctx),
    );
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
    const missed = await missedIn(ctx, { agoMs: AGO_MS['1d'] });
    const [first] = missed.messages;
    if (!first) return reply({ text: t('autotranslate.read-none'), tone: 'note' });
    const reading = { to: await readerLanguage(ctx), from: first.position };
    const options = { turn: { way: 'back', at: END }, hasModel: await chats(ctx) } as const;
    const shown = (await readPage(reading, missed, options, ctx))();
    const controls = [...(shown.controls ?? []), button(ctx, 'language pick', 'language.button')];
    await reply({ ...shown, controls });
  },
};

/** `/catchup`, and _Read from here_ in a message's menu: what was written in a channel, in the person's language. */
export default defineCommand(
  'catchup',
  {
    options: z.object({
      since: z.enum(['1h', '6h', '1d', '3d', '7d']).optional(),
      to: z.string().optional(),
    }),
    complete: { to: completeLanguage },
    private: true,
    slow: true,
    onMessage: () => ({}),
    async run(ctx) {
      const { on, options, reply, services } = ctx;
      const to =
        options.to === undefined ? await readerLanguage(ctx) : typedLanguage(options.to, services);
      const since = options.since
        ? { agoMs: AGO_MS[options.since] }
        : { agoMs: AGO_MS['7d'], afterOwn: ctx.member.id };
      const missed = await missedIn(ctx, on?.position ?? since);
      if (isNothing(missed)) return reply(nothing(missed, ctx));
      const reading = { to, from: missed.messages[0]!.position };
      const hasModel = await chats(ctx);
      if (missed.messages.length > ASKED_ABOVE)
        return reply(question(reading, missed, hasModel, ctx));
      if (hasModel && missed.messages.length > MOST_ON_PAGE)
        return showSummed(reading, missed, ctx);
      const content = await readPage(reading, missed, { hasModel }, ctx);
      await reply(content());
    },
  },
  { needs: 'watch', topic: 'translation', presses: { page, summary, file, ask, recent } },
);
