import type { Press, PressContext, PressForm } from '../../src/command/command.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention } from '../../src/model/place.ts';
import { sections } from '../../src/rich-text/compose.ts';
import { linkWarning } from './context.ts';
import { LONGEST_CODE_CHARS, makeCode, useCode, watchToLink } from './link.ts';
import { codeControls, membersPage } from './members.ts';
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
const linksPage = async (ctx: PressContext, found?: readonly string[]): Promise<Content> => {
  const { id } = readChosen(ctx.arg);
  const channel = channelNamed(ctx, id);
  await ctx.access.demand([channel], 'see');
  if (watchOf(ctx, channel)?.mode === 'mirror') return membersPage(channel, ctx, undefined);
  const press = { press: `autotranslate linksas:${id}`, find: `autotranslate findlinks:${id}`, id };
  return languagePage(ctx, id, press, found);
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
  return {
    links,
    findlinks: finding(linksPage),
    linksas: press(codesPage),
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
