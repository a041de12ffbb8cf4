import { z } from 'zod';
import { defineCommand, pressOn, type PressContext } from '../src/command/command.ts';
import { findButton, finding } from '../src/command/find-language.ts';
import { completeLanguage, languageMenu, typedLanguage } from '../src/command/helpers.ts';
import type { Content } from '../src/model/message.ts';

/** Offers the languages that a person may read, the one that they chose first. */
const picker = async (
  ctx: Omit<PressContext, 'arg' | 'values'>,
  found?: readonly string[],
): Promise<Content> => {
  const { services, member, locale, t } = ctx;
  const { language: chosen } = await services.settings.of(member);
  return {
    text: chosen
      ? t('language.current', { language: services.languages.name(chosen, locale) })
      : t('language.choose'),
    controls: [
      languageMenu(ctx, 'language choose', chosen, found),
      findButton(ctx, 'language find'),
    ],
  };
};

export default defineCommand(
  'language',
  {
    options: z.object({ language: z.string().min(1).optional(), reset: z.boolean().optional() }),
    complete: { language: completeLanguage },
    private: true,
    async run(ctx) {
      const { options, services, member, locale, t, reply } = ctx;
      if (options.reset) {
        await services.settings.change(member, { language: undefined });
        await reply({ text: t('language.reset') });
        return;
      }
      if (options.language === undefined) return reply(await picker(ctx));
      const language = typedLanguage(options.language, services);
      await services.settings.change(member, { language });
      const name = services.languages.name(language, locale);
      await reply({ text: t('language.set', { language: name }) });
    },
  },
  {
    topic: 'translation',
    presses: {
      pick: { ...pressOn((ctx) => picker(ctx)), private: true, isForEverybody: true },
      choose: {
        ...pressOn(
          (ctx) => picker(ctx),
          async ({ services, member, values: [value = ''] }) =>
            services.settings.change(member, { language: typedLanguage(value, services) }),
        ),
        isForEverybody: true,
      },
      find: { panel: (ctx) => picker(ctx), ...finding(picker), isForEverybody: true },
    },
  },
);
