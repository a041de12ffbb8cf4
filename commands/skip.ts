import { defineCommand } from '../src/command/command.ts';
import { joinedRoom } from '../src/command/helpers.ts';

export default defineCommand(
  'skip',
  {
    async run(ctx) {
      const { t, reply } = ctx;
      const shared = await ctx.forReaders();
      if ((await joinedRoom(ctx)).skip()) await reply({ text: shared.t('skip.skipped') });
      else await reply({ text: t('queue.silent'), tone: 'note' });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
