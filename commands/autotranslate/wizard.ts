import {
  defineAction,
  moderator,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import { userError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import { channelAround } from '../../src/model/place.ts';
import { SETUP_FORMS, type Setup, type SetupChoices } from '../../src/model/setup.ts';
import { MOST_CHANNELS } from '../../src/model/space.ts';
import { lines } from '../../src/rich-text/compose.ts';
import { finding } from '../../src/command/find-language.ts';
import { standingLines } from './context.ts';
import { chosenLanguages, watchOf, type PanelContext } from './panel-controls.ts';
import {
  asking,
  donePage,
  formsOf,
  progressPage,
  undonePage,
  unfinishedPage,
  wizardPage,
} from './wizard-pages.ts';

/** Stores a new set-up that begins with the channel where it was asked for. */
const begin = async (ctx: PanelContext): Promise<Setup> => {
  const { services, channel, locale } = ctx;
  const here = channelAround(channel);
  const own = watchOf(ctx, here);
  const from =
    (own?.mode === 'mirror' ? own.languages[0] : undefined) ?? services.languages.find(locale);
  const choices: SetupChoices = {
    channels: services.watches.isTalk(here) ? [] : [here.id],
    from: from ?? 'en',
    languages: [],
    form: 'channels',
  };
  return services.setups.begin(channel.space, choices);
};

/** `/autotranslate wizard`: channels or threads for languages, made, named and linked at once. */
export const wizardAction = defineAction({
  guards: [moderator],
  private: true,
  run: async (ctx) => ctx.reply(await wizardPage(ctx, await begin(ctx))),
});

/** The page of a set-up as it is now: what was chosen, or what was begun. */
const page = async (
  ctx: PressContext,
  found?: readonly string[],
  isRefused = false,
): Promise<Content> => {
  const setup = await ctx.services.setups.find(ctx.channel.space, ctx.arg);
  return setup.work ? unfinishedPage(ctx, setup) : wizardPage(ctx, setup, found, isRefused);
};

/** Stores a choice, and shows the page again. */
const choosing = (chosen: (ctx: PressContext) => Promise<Partial<SetupChoices>>): Press => ({
  guards: [moderator],
  panel: async (ctx) => page(ctx),
  run: async (ctx) => {
    await ctx.services.setups.choose(ctx.channel.space, ctx.arg, await chosen(ctx));
    await ctx.reply(await page(ctx));
  },
});

/** Channels of which one set-up makes others; a menu of Discord offers no more. */
const MOST_SOURCES = 25;

const chosenChannelIds = async (ctx: PressContext): Promise<Partial<SetupChoices>> => {
  const { values, channel } = ctx;
  const channels = [...new Set(values)];
  if (channels.length > MOST_SOURCES)
    throw userError('bad-input', 'autotranslate.wizard-many', { most: MOST_SOURCES });
  await ctx.access.demand(
    channels.map((id) => ({ space: channel.space, id })),
    'see',
  );
  return { channels };
};

/** Steps after which the progress is shown again. */
const SHOWN_EVERY = 10;

const make = async (ctx: PressContext): Promise<void> => {
  const { services, channel, arg, reply } = ctx;
  const { choices } = await services.setups.find(channel.space, arg);
  const linked = await services.setups.make(channel.space, arg, {
    ...asking(ctx),
    told: async (done, all) => {
      if (done % SHOWN_EVERY === 0) await reply(progressPage(ctx, done, all));
    },
  });
  const channels = linked.map((watch) => watch.channel);
  const done = await donePage(ctx, choices, linked);
  await reply({ ...done, text: lines(done.text, ...(await standingLines(channels, ctx))) });
};

const undo = async (ctx: PressContext): Promise<void> => {
  const { services, channel, arg, reply } = ctx;
  const left = await services.setups.undo(channel.space, arg, asking(ctx));
  await reply(undonePage(ctx, left));
};

/** The work of the wizard’s controls. */
export const wizardPresses: Readonly<Record<string, Press>> = {
  wizard: {
    guards: [moderator],
    run: async (ctx) => ctx.reply(await wizardPage(ctx, await begin(ctx))),
  },
  setup: { guards: [moderator], run: async (ctx) => ctx.reply(await page(ctx)) },
  sources: choosing(chosenChannelIds),
  into: choosing(async (ctx) => ({ languages: chosenLanguages(ctx.values, MOST_CHANNELS, ctx) })),
  spoken: choosing(async (ctx) => {
    const [from = ''] = chosenLanguages(ctx.values, 1, ctx);
    return { from };
  }),
  form: choosing(async (ctx) => {
    const form = SETUP_FORMS.find((each) => each === ctx.values[0]);
    if (!form || !formsOf(ctx).includes(form)) throw userError('bad-input', 'errors.bad-input');
    return { form };
  }),
  findinto: {
    guards: [moderator],
    panel: async (ctx) => page(ctx),
    ...finding(page),
  },
  make: { guards: [moderator], panel: async (ctx) => page(ctx, undefined, true), run: make },
  undo: { guards: [moderator], panel: async (ctx) => page(ctx), run: undo },
};
