import { z } from 'zod';
import { completeLanguage, defineCommand, languageOf } from '../src/command.ts';

const LONGEST_TEXT_CHARS = 50_000;

export default defineCommand('translate', {
  options: z.object({
    text: z.string().min(1).max(LONGEST_TEXT_CHARS),
    to: z.string().optional(),
    from: z.string().optional(),
  }),
  complete: { to: completeLanguage, from: completeLanguage },
  slow: true,
  async run({ options, services, member, channel, locale, t, signal, stream, reply }) {
    const preferred = (await services.settings.of(member)).language ?? member.locale;
    const to = languageOf(options.to ?? preferred, services);
    const from = options.from === undefined ? {} : { from: languageOf(options.from, services) };
    const request = { text: options.text, to, ...from, space: channel.space };
    const { text, outcome } = await stream(services.translator.translate(request, signal));
    const language = services.languages.name(to, locale);
    if (outcome === 'translated') await reply({ text });
    else await reply({ text: t(`translate.${outcome}`, { language }), tone: 'note' });
  },
});
