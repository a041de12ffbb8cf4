import { z } from 'zod';
import { defineCommand } from '../src/command/command.ts';
import { completeVoice, typedCode, voiceText } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';

export default defineCommand(
  'voice',
  {
    options: z.object({ voice: z.string().min(1).optional(), reset: z.boolean().optional() }),
    complete: { voice: completeVoice },
    private: true,
    slow: true,
    async run({ options, services, member, channel, t, signal, reply }) {
      if (options.reset) {
        await services.settings.change(member, { voiceId: undefined });
        await reply({ text: t('voice.reset') });
        return;
      }
      const named = options.voice ?? (await services.settings.of(member)).voiceId;
      if (named === undefined) return reply({ text: t('voice.none'), tone: 'note' });
      const [voice] = await services.speaker.voices({ named }, channel.space, signal);
      if (!voice) throw userError('not-found', 'voice.unknown', { voice: typedCode(named) });
      if (options.voice) await services.settings.change(member, { voiceId: voice.id });
      await reply({
        text: t(options.voice ? 'voice.set' : 'voice.current', {
          voice: voiceText(voice),
        }),
      });
    },
  },
  { topic: 'speech' },
);
