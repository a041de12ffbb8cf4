import { userError } from '../errors.ts';
import type { Content, Control } from '../model/message.ts';
import type { Press, PressContext } from './command.ts';
import { button } from './controls.ts';
import { typedCode } from './helpers.ts';

/** The button that begins a press with `finding`. */
export const findButton = (ctx: Pick<PressContext, 'label'>, press: string): Control =>
  button(ctx, press, 'autotranslate.panel-find');

/**
 * The form in which a language is searched for, and what shows a page with those whose name or code has what was typed.
 * Its work rejects with `not-found` where there are none.
 */
export const finding = (
  page: (ctx: PressContext, found: readonly string[]) => Promise<Content>,
): Pick<Press, 'form' | 'run'> => ({
  form: {
    title: 'autotranslate.panel-find',
    label: 'autotranslate.panel-find-label',
    hint: 'autotranslate.panel-find-hint',
    maxChars: 100,
  },
  run: async (ctx) => {
    const {
      services,
      locale,
      values: [typed = ''],
    } = ctx;
    const found = services.languages.search(typed, locale).map(({ code }) => code);
    if (found.length === 0)
      throw userError('not-found', 'errors.unknown-language', { language: typedCode(typed) });
    await ctx.reply(await page(ctx, found));
  },
});
