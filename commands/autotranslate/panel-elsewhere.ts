import type { Press, PressContext, PressForm } from '../../src/command/command.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention } from '../../src/model/place.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import {
  admitTo,
  codeLanguagePage,
  linkByCode,
  LONGEST_CODE_CHARS,
  readCode,
  USUAL_FLAGS,
} from './link.ts';
import { membersPage } from './members.ts';
import { channelNamed, chosenLanguages } from './panel-controls.ts';
import { readChosen } from './panel-link.ts';

const FORM: PressForm = {
  title: 'autotranslate.link-enter',
  label: 'autotranslate.link-enter-label',
  hint: 'autotranslate.link-enter-hint',
  maxChars: LONGEST_CODE_CHARS,
};

/** The channels elsewhere that one is linked with, and what links it with more. */
const linksPage = async (ctx: PressContext, above?: RichText): Promise<Content> =>
  membersPage(channelNamed(ctx, readChosen(ctx.arg).id), ctx, undefined, above);

/** @param typed a code; empty where one is to be made */
const byCode = (ctx: PressContext, typed: string): Promise<Content> => {
  const { id, other: flags } = readChosen(ctx.arg);
  return linkByCode(`${id}/${typed}/${flags || USUAL_FLAGS}`, undefined, ctx);
};

/**
 * The work of the controls for links with other spaces.
 *
 * @param press as the panel makes it
 * @param finding a press with a form in which a language is searched for
 */
export const elsewherePresses = (
  press: (page: (ctx: PressContext) => Promise<Content>) => Press,
  finding: (page: (ctx: PressContext, found?: readonly string[]) => Promise<Content>) => Press,
): Readonly<Record<string, Press>> => {
  const links = press((ctx) => linksPage(ctx));
  /** Answers an open link, or takes it back, and says so above the page that listed it. */
  const decide = (
    became: 'done' | 'refused' | 'withdrawn',
    run: (id: string, ctx: PressContext, seen: string) => Promise<Content | void>,
  ): Press => ({
    ...links,
    run: async (ctx) => {
      const { id, language: request, other: seen } = readChosen(ctx.arg);
      const isAnew = (await run(request, ctx, seen))?.controls;
      const about = { channel: channelMention(channelNamed(ctx, id)) };
      const said = isAnew
        ? 'autotranslate.panel-changed'
        : (`autotranslate.link-${became}` as const);
      await ctx.reply(await linksPage(ctx, ctx.t(said, about)));
    },
  });
  return {
    links,
    findcode: finding((ctx, found) => codeLanguagePage(ctx.arg, ctx, found)),
    codeas: {
      // A code that is gone meanwhile is typed anew.
      ...press((ctx) => codeLanguagePage(ctx.arg, ctx).catch(() => linksPage(ctx))),
      run: async (ctx) => {
        const [language = ''] = chosenLanguages(ctx.values, 1, ctx);
        await ctx.reply(await linkByCode(ctx.arg, language, ctx));
      },
    },
    agree: decide('done', (id, ctx, seen) =>
      ctx.services.watches.answer(id, ctx.channel.space, true, admitTo(ctx), undefined, seen),
    ),
    decline: decide('refused', (id, ctx) =>
      ctx.services.watches.answer(id, ctx.channel.space, false, admitTo(ctx)),
    ),
    withdraw: decide('withdrawn', (id, ctx) =>
      ctx.services.watches.withdraw(id, ctx.channel.space, admitTo(ctx)),
    ),
    invite: { ...links, run: async (ctx) => ctx.reply(await byCode(ctx, '')) },
    // A code that is refused is typed again where it was.
    enter: {
      ...links,
      form: FORM,
      run: async (ctx) => ctx.reply(await byCode(ctx, readCode(ctx.values[0] ?? ''))),
    },
  };
};
