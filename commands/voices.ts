import { z } from 'zod';
import { defineCommand } from '../src/command/command.ts';
import { completeLanguage, typedLanguage, voiceWords } from '../src/command/helpers.ts';
import { bullets, lines, series } from '../src/rich-text/compose.ts';
import { styled, text } from '../src/rich-text/rich-text.ts';

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
    async run({ options, services, channel, t, signal, reply }) {
      const language = options.language && typedLanguage(options.language, services);
      const voices = await services.speaker.voices(
        { language: language || undefined, gender: options.gender },
        channel.space,
        signal,
      );
      if (voices.length === 0) return reply({ text: t('voices.none'), tone: 'note' });
      const listed = voices
        .slice(0, LISTED)
        .map(voiceWords)
        .map(([name, ...others]) => series([styled('bold', text(name)), ...others]));
      await reply({
        text: lines(
          t('voices.heading', { count: voices.length }),
          bullets(...listed),
          voices.length > LISTED && t('voices.more', { count: voices.length - LISTED }),
        ),
      });
    },
  },
  { topic: 'speech' },
);
