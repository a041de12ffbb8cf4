import { z } from 'zod';
import {
  channelOption,
  defineAction,
  defineCommandGroup,
  moderator,
} from '../src/command/command.ts';
import { hiddenNote } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { bullets, lines } from '../src/rich-text/compose.ts';
import { channelMention } from '../src/model/place.ts';

const MOST_CHANNELS = 25;

/** Begins or ends the reading of the channel or thread that was named, or where the command is used. */
const switchTo = (isOn: boolean) =>
  defineAction({
    options: z.object({ channel: channelOption().optional() }),
    guards: [moderator],
    async run({ options, services, channel: here, forReaders, t: own, reply }) {
      const { space } = here;
      const { id } = options.channel ?? here;
      const channel = channelMention({ space, id });
      const { rooms: choices } = await services.spaces.of(space);
      const others = choices.readAloud.filter((each) => each !== id);
      if (isOn && others.length >= MOST_CHANNELS)
        throw userError('bad-input', 'readaloud.full', { most: MOST_CHANNELS });
      if (!isOn && !choices.readAloud.includes(id))
        return reply({ text: own('readaloud.not-on', { channel }), tone: 'note' });
      await services.spaces.change(space, ({ rooms }) => {
        const left = rooms.readAloud.filter((each) => each !== id);
        return { rooms: { ...rooms, readAloud: isOn ? [...left, id] : left } };
      });
      const { t } = await forReaders();
      if (!isOn) return reply({ text: t('readaloud.off', { channel }) });
      const room = services.rooms.of(space);
      const where = room
        ? t('readaloud.in', { channel: channelMention(room.channel) })
        : t('readaloud.in-no-room');
      await reply({ text: lines(t('readaloud.on', { channel }), where) });
    },
  });

const list = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { services, access, channel, t, reply } = ctx;
    const { space } = channel;
    const { readAloud } = (await services.spaces.of(space)).rooms;
    if (readAloud.length === 0) return reply({ text: t('readaloud.none'), tone: 'note' });
    const seen = await access.seen(readAloud, (id) => ({ space, id }));
    await reply({
      text: lines(
        t('readaloud.heading', { count: readAloud.length }),
        bullets(
          ...seen.map((id) => channelMention({ space, id })),
          hiddenNote(readAloud, seen, ctx),
        ),
      ),
    });
  },
});

export default defineCommandGroup(
  'readaloud',
  { on: switchTo(true), off: switchTo(false), list },
  { needs: 'rooms', topic: 'speech' },
);
