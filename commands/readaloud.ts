import { z } from 'zod';
import {
  channelOption,
  defineAction,
  defineCommandGroup,
  moderator,
  type CommandContext,
} from '../src/command/command.ts';
import type { RoomChoices } from '../src/model/space-choices.ts';
import { userError } from '../src/errors.ts';
import { bullets, lines } from '../src/model/compose-rich-text.ts';
import { channelMention, type Channel } from '../src/model/place.ts';

const MOST_CHANNELS = 25;

type Context = Pick<CommandContext<{ channel?: Channel | undefined }>, 'channel' | 'options'>;

/** The channel or thread that was named, or that the command was used in. */
const channelOf = ({ channel, options }: Context): Channel => options.channel ?? channel;

const choicesOf = async ({
  services,
  channel,
}: Pick<CommandContext<unknown>, 'services' | 'channel'>): Promise<RoomChoices> =>
  (await services.spaces.of(channel.space)).rooms;

const on = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  async run(ctx) {
    const { services, channel, t, reply } = ctx;
    const read = channelOf(ctx);
    const choices = await choicesOf(ctx);
    const others = choices.readAloud.filter((each) => each !== read.id);
    if (others.length >= MOST_CHANNELS)
      throw userError('bad-input', 'readaloud.full', { most: MOST_CHANNELS });
    await services.spaces.change(channel.space, {
      rooms: { ...choices, readAloud: [...others, read.id] },
    });
    const room = services.rooms.of(channel.space);
    await reply({
      text: lines(
        t('readaloud.on', { channel: channelMention(read) }),
        room
          ? t('readaloud.in', { channel: channelMention(room.channel) })
          : t('readaloud.in-no-room'),
      ),
    });
  },
});

const off = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  async run(ctx) {
    const { services, channel, t, reply } = ctx;
    const read = channelOf(ctx);
    const choices = await choicesOf(ctx);
    if (!choices.readAloud.includes(read.id)) {
      await reply({
        text: t('readaloud.not-on', { channel: channelMention(read) }),
        tone: 'note',
      });
      return;
    }
    const readAloud = choices.readAloud.filter((each) => each !== read.id);
    await services.spaces.change(channel.space, { rooms: { ...choices, readAloud } });
    await reply({ text: t('readaloud.off', { channel: channelMention(read) }) });
  },
});

const list = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { channel, t, reply } = ctx;
    const { readAloud } = await choicesOf(ctx);
    if (readAloud.length === 0) {
      await reply({ text: t('readaloud.none'), tone: 'note' });
      return;
    }
    await reply({
      text: lines(
        t('readaloud.heading', { count: readAloud.length }),
        bullets(...readAloud.map((id) => channelMention({ space: channel.space, id }))),
      ),
    });
  },
});

export default defineCommandGroup(
  'readaloud',
  { on, off, list },
  { needs: 'rooms', topic: 'speech' },
);
