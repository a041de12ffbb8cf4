import { defineAction, moderator } from '../../src/command/command.ts';
import { hiddenNote, modeKey } from '../../src/command/helpers.ts';
import { bullets, lines, nested, series, type Maybe } from '../../src/rich-text/compose.ts';
import { channelMention } from '../../src/model/place.ts';
import type { ListItem, RichText } from '../../src/rich-text/rich-text.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { namesOf, type Context } from './context.ts';

/** Says how many channels elsewhere are linked with those of a group. */
const elsewhereLine = (
  watch: ChannelWatch | undefined,
  { services, t }: Context,
): Maybe<RichText> => {
  const count = watch ? services.watches.elsewhere(watch) : 0;
  return count > 0 && t('autotranslate.elsewhere', { count });
};

/** `/autotranslate list`: the channels that are set, as far as the reader sees them, groups together. */
export const listAction = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { access, services, channel, t, reply } = ctx;
    const all = services.watches.list(channel.space);
    const watches = await access.seen(all, (watch) => watch.channel);
    if (all.length === 0) return reply({ text: t('autotranslate.none'), tone: 'note' });
    const line = (watch: ChannelWatch): RichText =>
      series([
        channelMention(watch.channel),
        t(modeKey(watch)),
        namesOf(watch.languages, ctx).join(', '),
        watch.transcribes && t('autotranslate.with-voice-messages'),
        watch.bots && t('autotranslate.with-bots'),
      ]);
    const groups = Map.groupBy(watches, ({ group }) => group);
    const items = [...groups].flatMap(([group, members]): (RichText | ListItem)[] =>
      group === undefined
        ? members.map(line)
        : [
            nested(t('autotranslate.group', { count: members.length }), [
              ...members.map(line),
              elsewhereLine(members[0], ctx),
            ]),
          ],
    );
    await reply({
      text: lines(
        t('autotranslate.heading', { count: all.length }),
        bullets(...items, hiddenNote(all, watches, ctx)),
      ),
    });
  },
});
