import { z } from 'zod';
import { channelOption, defineAction, moderator } from '../../src/command/command.ts';
import { lines } from '../../src/rich-text/compose.ts';
import { channelMention } from '../../src/model/place.ts';
import { chosenChannel } from './context.ts';

/** `/autotranslate off`: ends what is set for a channel, and the group that would have one channel left. */
export const offAction = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  async run(ctx) {
    const { channel: here, options, services, t, reply } = ctx;
    // A thread may be a mirror of its own; else it goes by its channel.
    const own = services.watches.list(here.space).find((watch) => watch.channel.id === here.id);
    const channel =
      (options.channel === undefined ? own?.channel : undefined) ?? chosenChannel(ctx);
    const { group } = services.watches.of(channel) ?? {};
    const others = services.watches
      .list(channel.space)
      .filter((watch) => group !== undefined && watch.group === group)
      .filter((watch) => watch.channel.id !== channel.id);
    if (!(await services.watches.remove(channel)))
      return reply({
        text: t('autotranslate.not-on', { channel: channelMention(channel) }),
        tone: 'note',
      });
    // A group of one channel is none.
    const last = others.length === 1 ? others[0]?.channel : undefined;
    await reply({
      text: lines(
        t('autotranslate.off', { channel: channelMention(channel) }),
        last && t('autotranslate.off-too', { channel: channelMention(last) }),
      ),
    });
  },
});
