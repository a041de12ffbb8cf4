import type { Press, PressContext, PressForm } from '../../src/command/command.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention } from '../../src/model/place.ts';
import { sections } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { linkWarning } from './context.ts';
import {
  admitTo,
  codeLanguagePage,
  linkAs,
  LONGEST_CODE_CHARS,
  makeCode,
  useCode,
  watchToLink,
} from './link.ts';
import { codeControls, membersPage } from './members.ts';
import { openLinksOf } from './open-links.ts';
import { channelNamed, chosenLanguages, watchOf } from './panel-controls.ts';
import { languagePage, readChosen } from './panel-link.ts';
import { back } from './panel-pages.ts';

const FORM: PressForm = {
  title: 'autotranslate.link-enter',
  label: 'autotranslate.link-enter-label',
  hint: 'autotranslate.link-enter-hint',
  maxChars: LONGEST_CODE_CHARS,
};

/** The channels elsewhere that one is linked with; asks for its language where it is linked with none at all. */
const linksPage = async (
  ctx: PressContext,
  found?: readonly string[],
  above?: RichText,
): Promise<Content> => {
  const { id } = readChosen(ctx.arg);
  const channel = channelNamed(ctx, id);
  await ctx.access.demand([channel], 'see');
  if (watchOf(ctx, channel)?.mode === 'mirror') return membersPage(channel, ctx, undefined, above);
  const press = { press: `autotranslate linksas:${id}`, find: `autotranslate findlinks:${id}`, id };
  const open = await openLinksOf(channel, ctx);
  const page = languagePage(ctx, id, press, found);
  return {
    text: sections(above, open.text, page.text),
    controls: [...(page.controls ?? []), ...open.controls],
  };
};

/** The buttons for codes of a channel that is linked with none yet, once its language is chosen. */
const codesPage = async (ctx: PressContext): Promise<Content> => {
  const { id, language: chosen } = readChosen(ctx.arg);
  const channel = channelNamed(ctx, id);
  await ctx.access.demand([channel], 'see');
  const [language = ''] = chosenLanguages(chosen === '' ? ctx.values : [chosen], 1, ctx);
  return {
    text: sections(
      ctx.t('members.none', { channel: channelMention(channel) }),
      linkWarning(channel, ctx),
    ),
    controls: [...codeControls(ctx, `${id}/${language}`), back(ctx, `autotranslate page:${id}`)],
  };
};

/** The watch that a control for a code is about. */
const linking = (ctx: PressContext) => {
  const { id, language } = readChosen(ctx.arg);
  const chosen = language === '' ? undefined : chosenLanguages([language], 1, ctx)[0];
  return watchToLink(channelNamed(ctx, id), chosen, ctx);
};

const backToLinks = (ctx: PressContext) =>
  back(ctx, `autotranslate links:${readChosen(ctx.arg).id}`);

/**
 * The work of the controls for links with other spaces.
 *
 * @param press as the panel makes it
 * @param finding a press with a form in which a language is searched for
 */
export const elsewherePresses = (
  press: (page: (ctx: PressContext) => Promise<Content>) => Press,
  finding: (page: typeof linksPage) => Press,
): Readonly<Record<string, Press>> => {
  const links = press((ctx) => linksPage(ctx));
  /** Answers an open link, or takes it back, and says so above the page that listed it. */
  const decide = (
    became: 'done' | 'refused' | 'withdrawn',
    run: (id: string, ctx: PressContext) => Promise<unknown>,
  ): Press => ({
    ...links,
    run: async (ctx) => {
      await run(readChosen(ctx.arg).language, ctx);
      await ctx.reply(await linksPage(ctx, undefined, ctx.t(`autotranslate.link-${became}`)));
    },
  });
  return {
    links,
    findlinks: finding(linksPage),
    linksas: press(codesPage),
    findcode: finding((ctx, found) => codeLanguagePage(ctx.arg, ctx, found)),
    codeas: {
      ...press((ctx) => codeLanguagePage(ctx.arg, ctx)),
      run: async (ctx) => {
        const [language = ''] = chosenLanguages(ctx.values, 1, ctx);
        await ctx.reply(await linkAs(ctx.arg, language, ctx));
      },
    },
    agree: decide('done', (id, ctx) =>
      ctx.services.watches.answer(id, ctx.channel.space, true, admitTo(ctx)),
    ),
    decline: decide('refused', (id, ctx) =>
      ctx.services.watches.answer(id, ctx.channel.space, false, admitTo(ctx)),
    ),
    withdraw: decide('withdrawn', (id, ctx) =>
      ctx.services.watches.withdraw(id, ctx.channel.space, admitTo(ctx)),
    ),
    invite: {
      ...links,
      run: async (ctx) => {
        const text = await makeCode(linking(ctx), false, ctx);
        await ctx.reply({ text, controls: [backToLinks(ctx)] });
      },
    },
    enter: {
      // A code that is refused is typed again where it was.
      ...press((ctx) => (readChosen(ctx.arg).language === '' ? linksPage(ctx) : codesPage(ctx))),
      form: FORM,
      run: async (ctx) => {
        const {
          values: [typed = ''],
        } = ctx;
        const proposed = await useCode(typed.trim(), linking(ctx), false, ctx);
        await ctx.reply({
          ...proposed,
          controls: [...(proposed.controls ?? []), backToLinks(ctx)],
        });
      },
    },
  };
};
