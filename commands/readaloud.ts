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
import { channelMention } from '../src/model/mention.ts';
import type { Channel } from '../src/model/place.ts';

const MOST_CHANNELS = 25;

type Context = Pick<CommandContext<{ channel?: Channel | undefined }>, 'channel' | 'options'>;

/** The id of the channel or thread that was named, or that the command was used in. */
const channelIdOf = ({ channel, options }: Context): string => (options.channel ?? channel).id;

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
    const id = channelIdOf(ctx);
    const choices = await choicesOf(ctx);
    const others = choices.readAloud.filter((each) => each !== id);
    if (others.length >= MOST_CHANNELS)
      throw userError('bad-input', 'readaloud.full', { most: MOST_CHANNELS });
    await services.spaces.change(channel.space, {
      rooms: { ...choices, readAloud: [...others, id] },
    });
    const room = services.rooms.of(channel.space);
    await reply({
      text: [
        t('readaloud.on', { channel: channelMention({ id }) }),
        room
          ? t('readaloud.in', { channel: channelMention(room.channel) })
          : t('readaloud.in-no-room'),
      ].join('\n'),
    });
  },
});

const off = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  async run(ctx) {
    const { services, channel, t, reply } = ctx;
    const id = channelIdOf(ctx);
    const choices = await choicesOf(ctx);
    if (!choices.readAloud.includes(id)) {
      await reply({
        text: t('readaloud.not-on', { channel: channelMention({ id }) }),
        tone: 'note',
      });
      return;
    }
    const readAloud = choices.readAloud.filter((each) => each !== id);
    await services.spaces.change(channel.space, { rooms: { ...choices, readAloud } });
    await reply({ text: t('readaloud.off', { channel: channelMention({ id }) }) });
  },
});

const list = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { t, reply } = ctx;
    const { readAloud } = await choicesOf(ctx);
    if (readAloud.length === 0) {
      await reply({ text: t('readaloud.none'), tone: 'note' });
      return;
    }
    const heading = t('readaloud.heading', { count: readAloud.length });
    await reply({
      text: [heading, ...readAloud.map((id) => `- ${channelMention({ id })}`)].join('\n'),
    });
  },
});

export default defineCommandGroup(
  'readaloud',
  { on, off, list },
  { needs: 'rooms', topic: 'speech' },
);
