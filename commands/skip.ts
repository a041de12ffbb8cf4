import { defineCommand } from '../src/command/command.ts';
import { joinedRoom } from '../src/command/helpers.ts';

export default defineCommand(
  'skip',
  {
    async run(ctx) {
      const { t, reply } = ctx;
      if ((await joinedRoom(ctx)).skip()) await reply({ text: t('skip.skipped') });
      else await reply({ text: t('queue.silent'), tone: 'note' });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
