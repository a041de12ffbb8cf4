import { z } from 'zod';
import { channelOption, defineCommand } from '../src/command.ts';
import { userError } from '../src/errors.ts';
import { isSameChannel } from '../src/model.ts';

export default defineCommand(
  'join',
  {
    options: z.object({ channel: channelOption('voice').optional() }),
    slow: true,
    async run({ options, services: { rooms }, channel: { space }, member, locale, t, reply }) {
      const theirs = rooms.roomOf(space, member.id);
      const wanted = options.channel === undefined ? theirs : { space, id: options.channel };
      if (!wanted) throw userError('bad-input', 'room.nobody-there');
      const room = rooms.of(space);
      const channel = `<#${wanted.id}>`;
      if (room && isSameChannel(room.channel, wanted)) {
        await reply({ text: t('join.there', { channel }), tone: 'note' });
        return;
      }
      if (member.role !== 'moderator') {
        if (!theirs || !isSameChannel(theirs, wanted))
          throw userError('forbidden', 'join.not-yours');
        // There are others, or we would have left.
        if (room) throw userError('forbidden', 'join.busy', { channel: `<#${room.channel.id}>` });
      }
      await rooms.join(wanted, locale);
      await reply({ text: t('join.joined', { channel }) });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
