import { z } from 'zod';
import { defineCommand } from '../src/command/command.ts';
import { completeLanguage, typedLanguage } from '../src/command/helpers.ts';

export default defineCommand(
  'language',
  {
    options: z.object({ language: z.string().min(1).optional(), reset: z.boolean().optional() }),
    complete: { language: completeLanguage },
    private: true,
    async run({ options, services, member, locale, t, reply }) {
      if (options.reset) {
        await services.settings.change(member, { language: undefined });
        await reply({ text: t('language.reset') });
        return;
      }
      const told = options.language && typedLanguage(options.language, services);
      if (told) await services.settings.change(member, { language: told });
      const language = told ?? (await services.settings.of(member)).language;
      if (!language) return reply({ text: t('language.none'), tone: 'note' });
      const name = services.languages.name(language, locale);
      await reply({ text: t(told ? 'language.set' : 'language.current', { language: name }) });
    },
  },
  { topic: 'translation' },
);
