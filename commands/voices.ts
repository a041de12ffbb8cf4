import { z } from 'zod';
import { defineCommand } from '../src/command/command.ts';
import { completeLanguage, typedLanguage, plainLine } from '../src/command/helpers.ts';

const LISTED = 40;

export default defineCommand(
  'voices',
  {
    options: z.object({
      language: z.string().optional(),
      gender: z.enum(['Female', 'Male', 'Neutral']).optional(),
    }),
    complete: { language: completeLanguage },
    slow: true,
    private: true,
    async run({ options, services, t, signal, reply }) {
      const language = options.language && typedLanguage(options.language, services);
      const voices = await services.speaker.voices(
        {
          ...(language ? { language } : {}),
          ...(options.gender ? { gender: options.gender } : {}),
        },
        signal,
      );
      if (voices.length === 0) {
        await reply({ text: t('voices.none'), tone: 'note' });
        return;
      }
      const lines = voices
        .slice(0, LISTED)
        .map(
          ({ description, language: spoken, gender }) =>
            `- **${plainLine(description)}** · ${plainLine(spoken)} · ${plainLine(gender)}`,
        );
      if (voices.length > LISTED) lines.push(t('voices.more', { count: voices.length - LISTED }));
      await reply({ text: [t('voices.heading', { count: voices.length }), ...lines].join('\n') });
    },
  },
  { topic: 'speech' },
);
