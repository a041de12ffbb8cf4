import { z } from 'zod';
import { attachment, completeLanguage, defineCommand, languageOf } from '../src/command.ts';

export default defineCommand('transcribe', {
  options: z.object({
    audio: attachment(),
    language: z.string().optional(),
    to: z.string().optional(),
  }),
  complete: { language: completeLanguage, to: completeLanguage },
  slow: true,
  async run({ options, services, channel, locale, t, signal, stream, reply }) {
    const spoken = options.language && languageOf(options.language, services);
    const to = options.to && languageOf(options.to, services);
    const { space } = channel;
    const { text, language } = await stream(
      services.transcriber.transcribe(
        { audio: options.audio, space, ...(spoken ? { language: spoken } : {}) },
        signal,
      ),
    );
    const heard = services.languages.find(language);
    if (!to) {
      await reply({ text });
      return;
    }
    const request = { text, to, space, ...(heard ? { from: heard } : {}) };
    const translation = await stream(services.translator.translate(request, signal));
    if (translation.outcome !== 'translated') {
      await reply({ text });
      return;
    }
    await reply({
      text: t('transcribe.with-translation', {
        original: text,
        translation: translation.text,
        language: services.languages.name(to, locale),
      }),
    });
  },
});
