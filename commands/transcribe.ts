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
    const name = services.languages.name(to, locale);
    const withTranslation = (translation: string): string =>
      t('transcribe.with-translation', { original: text, translation, language: name });
    const translation = await stream(
      services.translator.translate({ text, to, space, ...(heard ? { from: heard } : {}) }, signal),
      withTranslation,
    );
    await reply({
      text: translation.outcome === 'translated' ? withTranslation(translation.text) : text,
    });
  },
});
