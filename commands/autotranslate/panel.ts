import {
  defineAction,
  moderator,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import { finding as findingLanguage } from '../../src/command/find-language.ts';
import { chosenOver, MOST_LANGUAGES, setupMark } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import { channelMention, isSameChannel } from '../../src/model/place.ts';
import type { Content } from '../../src/model/message.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { change, demandChange, groupHere } from './change.ts';
import { endedBy, turnOff } from './off.ts';
import { changer, standingLines } from './context.ts';
import { channelNamed, chosenLanguages, watchOf, type PanelContext } from './panel-controls.ts';
import { linkChosen, linkPage, linkWith, otherLanguagePage, readChosen } from './panel-link.ts';
import { channelPage, frontPage, shownModes, surePage } from './panel-pages.ts';
import { elsewherePresses } from './panel-elsewhere.ts';
import { rulePresses } from './panel-rules.ts';
import { previewOf } from './panel-preview.ts';

/** `/autotranslate panel`, and the command alone: everything that can be set, by pressing. */
export const panelAction = defineAction({
  guards: [moderator],
  private: true,
  run: async (ctx) => ctx.reply(await frontPage(ctx)),
});

/**
 * Does `run`, and then shows `page` with what it says. Where that fails, the page stands with the reason; and the first
 * one where it is that page that fails.
 */
const press = (
  page: (ctx: PressContext, said?: RichText) => Content | Promise<Content>,
  run: (ctx: PressContext) => unknown = () => undefined,
): Press => ({
  guards: [moderator],
  panel: async (ctx) => {
    try {
      return await page(ctx);
    } catch {
      return frontPage(ctx);
    }
  },
  run: async (ctx) => {
    const said = await run(ctx);
    await ctx.reply(await page(ctx, said as RichText | undefined));
  },
});

const ownPage = (ctx: PressContext, above?: RichText): Promise<Content> =>
  channelPage(ctx, ctx.arg, above ? { above } : {});

/** The error for a control that is about another state of a channel than its own now. */
const changedMeanwhile = (ctx: PanelContext, id: string) =>
  userError('bad-input', 'autotranslate.panel-changed', {
    channel: channelMention(channelNamed(ctx, id)),
  });

/** Changes the watch of the channel that a control is about. */
const changeOwn = async (
  ctx: PressContext,
  how: (watch: ChannelWatch) => ChannelWatch,
): Promise<void> => void (await change(channelNamed(ctx, ctx.arg), how, changer(ctx), ctx));

/**
 * Takes over what was chosen of the languages that were shown; turns auto-translate on where it is off, and resolves with
 * what holds on there.
 */
const setLanguages = async (ctx: PressContext): Promise<RichText | void> => {
  const channel = channelNamed(ctx, ctx.arg);
  const languages = chosenLanguages(ctx.values, MOST_LANGUAGES, ctx);
  if (watchOf(ctx, channel))
    return changeOwn(ctx, (watch) => {
      if (watch.mode === 'mirror') throw changedMeanwhile(ctx, ctx.arg);
      return watch.mode === 'request'
        ? {
            ...watch,
            mode: 'reply',
            languages,
            transcribes: watch.transcribes || watch.languages.length === 0,
          }
        : {
            ...watch,
            languages: chosenLanguages(chosenOver(watch.languages, ctx), MOST_LANGUAGES, ctx),
          };
    });
  await demandChange([channel], ctx);
  const watch = { channel, mode: 'reply', languages, transcribes: true, bots: false } as const;
  await ctx.services.watches.set([watch], { by: changer(ctx), seen: setupMark(undefined) });
  return lines(...(await standingLines([channel], ctx)));
};

/** Sets the one language of a linked channel. */
const setLanguage = async (ctx: PressContext): Promise<void> => {
  const channel = channelNamed(ctx, ctx.arg);
  const languages = chosenLanguages(ctx.values, 1, ctx);
  const others = groupHere(channel, ctx).filter((each) => !isSameChannel(each.channel, channel));
  await changeOwn(ctx, (watch) => {
    if (watch.mode !== 'mirror') throw changedMeanwhile(ctx, ctx.arg);
    const isAlone = ctx.services.watches.elsewhere(watch) === 0;
    if (isAlone && others.every((each) => each.languages[0] === languages[0]))
      throw userError('bad-input', 'autotranslate.one-language');
    return { ...watch, languages };
  });
};

const setMode = (ctx: PressContext): Promise<void> => {
  const chosen = shownModes(ctx).find((mode) => mode === ctx.values[0]);
  return changeOwn(ctx, ({ below, ...watch }) => {
    if (watch.mode === 'mirror' || chosen === undefined || watch.languages.length === 0)
      throw changedMeanwhile(ctx, ctx.arg);
    return chosen === 'below'
      ? { ...watch, mode: 'reply', below: below ?? true }
      : { ...watch, mode: chosen };
  });
};

const setPaused =
  (isPausing: boolean) =>
  async (ctx: PressContext): Promise<void> => {
    const channel = channelNamed(ctx, ctx.arg);
    await demandChange([channel], ctx);
    if (!(await ctx.services.watches.pause(channel, isPausing, changer(ctx))))
      throw changedMeanwhile(ctx, ctx.arg);
  };

/** Turns auto-translate off in the channel that a control is about, and shows the first page with what that says. */
const end = async (ctx: PressContext): Promise<void> => {
  const { channel, count } = endedBy(ctx);
  await ctx.access.demand([channel], 'see');
  const ended = await turnOff(channel, changer(ctx), ctx, count);
  const said = ended?.text ?? ctx.t('autotranslate.not-on', { channel: channelMention(channel) });
  const page = await frontPage(ctx, 0, said);
  await ctx.reply({ ...page, controls: [...(ended?.controls ?? []), ...(page.controls ?? [])] });
};

const preview = async (ctx: PressContext): Promise<RichText> => {
  const channel = channelNamed(ctx, ctx.arg);
  await ctx.access.demandHistory(channel);
  return previewOf(channel, ctx);
};

/** A press that begins with a form in which a language is searched for. */
const finding = (
  page: (ctx: PressContext, found?: readonly string[]) => Promise<Content>,
): Press => ({ ...press((ctx) => page(ctx)), ...findingLanguage(page) });

/** The place of the first channel that is listed, as a control carries it. */
const placeIn = (arg: string): number => (/^\d{1,6}$/.test(arg) ? Number(arg) : 0);

/**
 * A press after which a channel is linked, or more is asked.
 *
 * @param page what stands, with all that was chosen before, where that is refused
 */
const linking = (
  run: (ctx: PressContext) => Promise<Content>,
  page = async (ctx: PressContext) => channelPage(ctx, readChosen(ctx.arg).id),
): Press => ({
  ...press((ctx) => page(ctx)),
  run: async (ctx) => ctx.reply(await run(ctx)),
});

/** The work of the panel’s controls. */
export const panelPresses: Readonly<Record<string, Press>> = {
  open: {
    ...press((ctx) => (ctx.arg === '' ? frontPage(ctx) : channelPage(ctx, ctx.arg))),
    private: true,
  },
  front: press((ctx) => frontPage(ctx, placeIn(ctx.arg))),
  page: press((ctx) => {
    const id = ctx.values[0] ?? ctx.arg;
    return id === '' ? frontPage(ctx) : channelPage(ctx, id);
  }),
  languages: press(ownPage, setLanguages),
  language: press(ownPage, setLanguage),
  find: finding((ctx, found) => channelPage(ctx, ctx.arg, found ? { found } : {})),
  mode: press(ownPage, setMode),
  preview: press(ownPage, preview),
  ...rulePresses(press, finding),
  ...elsewherePresses(press, finding),
  pause: press(ownPage, setPaused(true)),
  resume: press(ownPage, setPaused(false)),
  sure: press((ctx) => surePage(ctx, ctx.arg)),
  off: { ...press((ctx) => frontPage(ctx)), run: end },
  linkstart: press((ctx) => linkPage(ctx, readChosen(ctx.arg))),
  findfrom: finding((ctx, found) => linkPage(ctx, readChosen(ctx.arg), found)),
  linkfrom: press((ctx) => {
    const [language = ''] = chosenLanguages(ctx.values, 1, ctx);
    return linkPage(ctx, { ...readChosen(ctx.arg), language });
  }),
  linkto: linking(
    (ctx) => linkWith(ctx, { ...readChosen(ctx.arg), other: ctx.values[0] ?? '' }),
    async (ctx) => linkPage(ctx, readChosen(ctx.arg)),
  ),
  findas: finding((ctx, found) => otherLanguagePage(ctx, readChosen(ctx.arg), found)),
  linkas: linking(
    (ctx) => linkChosen(readChosen(ctx.arg), ctx.values, ctx),
    async (ctx) => otherLanguagePage(ctx, readChosen(ctx.arg)),
  ),
  linksure: linking((ctx) => {
    const chosen = readChosen(ctx.arg);
    return linkChosen(chosen, [chosen.otherLanguage], ctx);
  }),
};
