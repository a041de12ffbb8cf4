import { z } from 'zod';
import {
  channelOption,
  defineAction,
  moderator,
  defineCommandGroup,
} from '../src/command/command.ts';
import { lines, bullets, nested } from '../src/rich-text/compose.ts';
import { channelMention } from '../src/model/place.ts';
import { blockPresses } from './autotranslate/blocks.ts';
import { addAction, joinPress, removeAction } from './autotranslate/add.ts';
import { askedOff, endPress, formerPress, restorePress } from './autotranslate/off.ts';
import { elsewhereLines, groupHeading } from './autotranslate/group.ts';
import { watchCounts, watchLine } from '../src/command/watch-line.ts';
import { changer, chosenChannel } from './autotranslate/context.ts';
import { hiddenNote } from '../src/command/helpers.ts';
import type { ListItem, RichText } from '../src/rich-text/rich-text.ts';
import type { ChannelWatch } from '../src/model/space.ts';
import { inPlaceAction, mirrorAction, requestAction } from './autotranslate/set.ts';
import { linkAction, linkPresses } from './autotranslate/link.ts';
import { panelAction, panelPresses } from './autotranslate/panel.ts';
import { rolePresses } from './autotranslate/language-roles.ts';
import { wizardAction, wizardPresses } from './autotranslate/wizard.ts';
import { rulesAction } from './autotranslate/rules.ts';
import { memberPresses, linksAction } from './autotranslate/members.ts';

/** `/autotranslate off`: ends what is set for a channel, and the group that would have one channel left. */
const offAction = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { channel: here, options, services, t, reply } = ctx;
    // A thread may be a mirror of its own; else it goes by its channel.
    const own = services.watches.list(here.space).find((watch) => watch.channel.id === here.id);
    const channel =
      (options.channel === undefined ? own?.channel : undefined) ?? chosenChannel(ctx);
    const ended = await askedOff(channel, changer(ctx), ctx);
    await reply(
      ended ?? {
        text: t('autotranslate.not-on', { channel: channelMention(channel) }),
        tone: 'note',
      },
    );
  },
});

/** `/autotranslate list`: the channels that are set, as far as the reader sees them, groups together. */
const listAction = defineAction({
  guards: [moderator],
  private: true,
  async run(ctx) {
    const { access, services, channel, t, reply } = ctx;
    const all = services.watches.list(channel.space);
    const watches = await access.seen(all, (watch) => watch.channel);
    if (all.length === 0) return reply({ text: t('autotranslate.none'), tone: 'note' });
    const choices = await services.spaces.of(channel.space);
    const line = (watch: ChannelWatch): Promise<RichText> => watchLine(watch, choices, ctx);
    const groups = Map.groupBy(watches, ({ group }) => group);
    const items = await Promise.all(
      [...groups].map(async ([group, members]): Promise<readonly (RichText | ListItem)[]> => {
        const lined = await Promise.all(members.map(line));
        if (group === undefined) return lined;
        const elsewhere = await elsewhereLines(members, ctx);
        return [nested(groupHeading(members, elsewhere, ctx), [...lined, ...elsewhere])];
      }),
    );
    await reply({
      text: lines(
        t('autotranslate.heading', watchCounts(all)),
        bullets(...items.flat(), hiddenNote(all, watches, ctx)),
      ),
    });
  },
});

export default defineCommandGroup(
  'autotranslate',
  {
    panel: panelAction,
    wizard: wizardAction,
    reply: inPlaceAction('reply'),
    compact: inPlaceAction('compact'),
    request: requestAction,
    thread: inPlaceAction('thread'),
    mirror: mirrorAction,
    link: linkAction,
    add: addAction,
    remove: removeAction,
    off: offAction,
    rules: rulesAction,
    list: listAction,
    links: linksAction,
  },
  {
    needs: 'watch',
    topic: 'channels',
    alone: 'panel',
    presses: {
      ...panelPresses,
      ...wizardPresses,
      ...rolePresses,
      ...linkPresses,
      ...memberPresses,
      ...blockPresses,
      join: joinPress,
      end: endPress,
      restore: restorePress,
      former: formerPress,
    },
  },
);
