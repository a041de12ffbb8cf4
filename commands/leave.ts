import { defineCommand } from '../src/command/command.ts';
import { joinedRoom } from '../src/command/helpers.ts';
import { channelMention } from '../src/model/place.ts';

export default defineCommand(
  'leave',
  {
    slow: true,
    async run(ctx) {
      const room = await joinedRoom(ctx);
      const channel = channelMention(room.channel);
      await room.leave();
      const { t } = await ctx.forReaders();
      await ctx.reply({ text: t('leave.left', { channel }) });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
