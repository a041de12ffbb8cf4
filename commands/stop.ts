import { defineCommand } from '../src/command/command.ts';
import { joinedRoom } from '../src/command/helpers.ts';

export default defineCommand(
  'stop',
  {
    async run(ctx) {
      const { t, reply } = ctx;
      const shared = await ctx.forReaders();
      const count = (await joinedRoom(ctx)).stopSpeaking();
      if (count > 0) await reply({ text: shared.t('stop.stopped', { count }) });
      else await reply({ text: t('queue.silent'), tone: 'note' });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
