import { z } from 'zod';
import { channelOption, defineCommand } from '../src/command/command.ts';
import { userError } from '../src/errors.ts';
import { channelMention, isSameChannel } from '../src/model/place.ts';

export default defineCommand(
  'join',
  {
    options: z.object({ channel: channelOption('voice').optional() }),
    slow: true,
    async run({ options, services: { rooms }, channel: { space }, member, t, forReaders, reply }) {
      const theirs = rooms.roomOf(space, member.id);
      const wanted = options.channel ?? theirs;
      if (!wanted) throw userError('bad-input', 'room.nobody-there');
      const isModerator = member.role === 'moderator';
      if (!isModerator && !(theirs && isSameChannel(theirs, wanted)))
        throw userError('forbidden', 'join.not-yours');
      const before = rooms.of(space);
      const shared = await forReaders();
      const room = await rooms.join(wanted, shared.locale, isModerator);
      const channel = channelMention(room.channel);
      if (room === before) await reply({ text: t('join.there', { channel }), tone: 'note' });
      else await reply({ text: shared.t('join.joined', { channel }) });
    },
  },
  { needs: 'rooms', topic: 'speech' },
);
