import { moderator, type Press, type PressContext } from '../../src/command/command.ts';
import { button, formerOffer } from '../../src/command/helpers.ts';
import { ruleLines } from '../../src/command/setting-lines.ts';
import { toAppError, userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { channelMention, isSameChannel, type Channel } from '../../src/model/place.ts';
import type { ChannelWatch, Changer } from '../../src/model/space.ts';
import { bullets, lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { changer, demandLinked, demandSeen, keptRulesLine, type Context } from './context.ts';
import { change, demandChange, groupHere, intoLines, onRequest } from './change.ts';
import { watchLine } from '../../src/command/watch-line.ts';

/** The presses that lead back from an Undo whose answer one person sees, by the word after its name. */
const BACK: Readonly<Record<string, (id: string) => string>> = {
  panel: () => 'autotranslate page',
  rules: (id) => `autotranslate rules:${id}`,
  audit: () => 'audit page',
};

/** Lists the channels, here and elsewhere, that one is linked with; none where it is linked with none. */
const partnersOf = async (channel: Channel, ctx: Context) => {
  const group = groupHere(channel, ctx);
  const [first] = group;
  const elsewhere = first ? await ctx.services.watches.members(first) : [];
  const own = group.filter((watch) => !isSameChannel(watch.channel, channel));
  return {
    elsewhere,
    list: [
      ...own.map((watch) => channelMention(watch.channel)),
      ...elsewhere.map(({ name }) => name),
    ],
  };
};

/** The watches here that end with that of a channel: a group of one channel is none. */
const endingWith = (channel: Channel, ctx: Context): readonly ChannelWatch[] => {
  const isIt = (watch: ChannelWatch): boolean => isSameChannel(watch.channel, channel);
  const own = ctx.services.watches.list(channel.space).filter(isIt);
  const others = groupHere(channel, ctx).filter((watch) => !isIt(watch));
  const isLast =
    others.length === 1 && own.every((each) => ctx.services.watches.elsewhere(each) === 0);
  return [...own, ...(isLast ? others : [])];
};

/** Says with which channels the link of one ends; undefined where it is linked with none. */
export const partingLine = async (
  channel: Channel,
  ctx: Context,
): Promise<RichText | undefined> => {
  await demandLinked([channel], ctx);
  const { list, elsewhere } = await partnersOf(channel, ctx);
  if (list.length === 0) return undefined;
  return ctx.t('autotranslate.parts', {
    channel: channelMention(channel),
    channels: { list },
    others: list.length,
    elsewhere: elsewhere.length,
  });
};

/** The channels that a channel can be turned off with at once: those of its group, where all are of this space. */
const wholeGroup = (channel: Channel, ctx: Context): readonly ChannelWatch[] => {
  const group = groupHere(channel, ctx);
  return group.length > 2 && group.every((each) => ctx.services.watches.elsewhere(each) === 0)
    ? group
    : [];
};

/**
 * Asks once whether auto-translate is to be turned off in a channel, or in its whole group.
 *
 * @param press what does it
 */
export const endQuestion = async (
  channel: Channel,
  press: string,
  ctx: Context,
): Promise<Content & { readonly controls: readonly Control[] }> => {
  const { length: count } = wholeGroup(channel, ctx);
  const doing = `autotranslate ${press}:${channel.id}`;
  const label = ctx.label('autotranslate.off-group', { count });
  return {
    tone: 'question',
    text: lines(
      ctx.t('autotranslate.panel-sure', { channel: channelMention(channel) }),
      await partingLine(channel, ctx),
      keptRulesLine(endingWith(channel, ctx), ctx),
    ),
    controls:
      count === 0
        ? [button(ctx, doing, 'autotranslate.panel-remove', 'danger')]
        : [
            button(ctx, doing, 'autotranslate.off-one', 'danger'),
            { kind: 'button', press: `${doing}/${count}`, label, look: 'danger' },
          ],
  };
};

/** Asks to end a link first, where something else is about to be set that would end it; undefined where none ends. */
export const endsLink = async (
  watches: readonly ChannelWatch[],
  ctx: Context,
): Promise<Content | undefined> => {
  const { services, t } = ctx;
  const stays = (each: ChannelWatch): boolean =>
    services.watches.elsewhere(each) === 0 &&
    watches.some(({ channel, mode }) => mode === 'mirror' && isSameChannel(channel, each.channel));
  const ending = watches.find(({ channel }) => !groupHere(channel, ctx).every(stays));
  if (!ending) return undefined;
  await demandChange([ending.channel], ctx);
  const line = await partingLine(ending.channel, ctx);
  const { controls } = await endQuestion(ending.channel, 'end', ctx);
  return { text: lines(line, t('autotranslate.parts-first')), tone: 'question', controls };
};

/** Turns a channel off; asks first where that ends a link with other spaces, which nothing sets back. */
export const askedOff = async (
  channel: Channel,
  by: Changer,
  ctx: Context,
): Promise<Content | undefined> => {
  const [own] = groupHere(channel, ctx);
  return own && ctx.services.watches.elsewhere(own) > 0
    ? endQuestion(channel, 'end', ctx)
    : turnOff(channel, by, ctx);
};

/** Offers to one person to bring back what a link had replaced. */
export const offerFormer = (channel: Channel, { services, t, locale }: Context) =>
  formerOffer(channel, services.endedWatches.former, services.languages, { t, locale }, '/panel');

/**
 * Ends auto-translate in a channel, and says so, with a button that sets it back; undefined where there was none.
 *
 * @param count the number of channels of its group that end with it. Default: it ends alone
 */
export const turnOff = async (
  channel: Channel,
  by: Changer,
  ctx: Context,
  count?: number,
): Promise<Content | undefined> => {
  const { services, t } = ctx;
  await demandLinked([channel], ctx);
  const group = count === undefined ? [] : wholeGroup(channel, ctx);
  if (group.length !== (count ?? 0))
    throw userError('bad-input', 'autotranslate.panel-changed', {
      channel: channelMention(channel),
    });
  const ending = group.length > 0 ? group : endingWith(channel, ctx);
  const { list } = await partnersOf(channel, ctx);
  const [isOff, undo] = await services.endedWatches.ending(channel.space, ending, false, () =>
    services.watches.remove(channel, by, group),
  );
  if (!isOff) return undefined;
  const offer = await offerFormer(channel, ctx);
  const last = ending[1]?.channel;
  const isEnded = last && !services.watches.of(last);
  return {
    text: lines(
      group.length > 0
        ? t('autotranslate.off-all', {
            channels: { list: group.map((each) => channelMention(each.channel)) },
          })
        : t('autotranslate.off', { channel: channelMention(channel) }),
      group.length === 0 &&
        list.length > 0 &&
        (isEnded
          ? t('autotranslate.off-too', { channel: channelMention(last) })
          : t('autotranslate.off-left', { channels: { list } })),
      list.length > 0 && t('autotranslate.copies-stay'),
      keptRulesLine(ending, ctx),
      offer?.text,
    ),
    controls: [
      ...(undo === undefined
        ? []
        : [button(ctx, `autotranslate restore:${undo}`, 'autotranslate.wizard-undo')]),
      ...(offer ? [offer.control] : []),
      button(ctx, `autotranslate open:${channel.id}`, 'autotranslate.panel-anew'),
    ],
  };
};

/** Takes a language from those that a channel is translated into; the last one ends it. Resolves with what to say. */
export const removeLanguage = async (
  channel: Channel,
  language: string,
  by: Changer,
  ctx: Context,
): Promise<Content> => {
  const { services } = ctx;
  const named = {
    channel: channelMention(channel),
    language: services.languages.name(language, ctx.locale),
  };
  let isLast = false;
  const watch = await change(
    channel,
    (now) => {
      if (now.mode === 'request') throw onRequest(channel);
      if (!now.languages.includes(language))
        throw userError('bad-input', 'autotranslate.not-a-language', named);
      const languages = now.languages.filter((each) => each !== language);
      isLast = languages.length === 0;
      return isLast ? now : { ...now, languages };
    },
    by,
    ctx,
  );
  const ended = isLast ? await turnOff(channel, by, ctx) : undefined;
  return ended ?? { text: await intoLines(watch, ctx) };
};

/** The channel that a press of `endQuestion` turns off, and the number of those of its group, where they end with it. */
export const endedBy = ({ channel: { space }, arg }: Pick<PressContext, 'channel' | 'arg'>) => {
  const [id = '', count] = arg.split('/');
  return { channel: { space, id }, count: count === undefined ? undefined : Number(count) };
};

/** Turns a channel off once its moderator alone was asked, so that the channel is told. */
export const endPress: Press = {
  guards: [moderator],
  async run(ctx) {
    const { channel, count } = endedBy(ctx);
    await ctx.access.demand([channel], 'see');
    const ended = await turnOff(channel, changer(ctx), ctx, count);
    await ctx.reply(
      ended ?? { text: ctx.t('autotranslate.not-on', { channel: channelMention(channel) }) },
    );
  },
};

/** Says what is set in channels that were set back, or for all. */
const replyRestored = async (
  restored: readonly ChannelWatch[],
  key: 'autotranslate.restored' | 'autotranslate.former-restored',
  back: (typeof BACK)[string] | undefined,
  said: PressContext,
): Promise<void> => {
  // What ends together is of one group.
  const group = restored.slice(0, 1).flatMap((watch) => groupHere(watch.channel, said));
  const choices = await said.services.spaces.of(said.channel.space);
  const all = group.length > 0 ? group : restored;
  const set = all.map((watch) => watchLine(watch, choices, said));
  const isOfAll = restored[0]?.channel.id === '';
  const shown = isOfAll ? ruleLines(choices.rules, said) : await Promise.all(set);
  const controls = back ? [button(said, back(restored[0]?.channel.id ?? ''), 'settings.back')] : [];
  await said.reply({ text: lines(said.t(key), bullets(...shown)), controls });
};

/** Sets back what was turned off, or the rules that ended, some minutes ago. */
export const restorePress: Press = {
  guards: [moderator],
  async run(ctx) {
    const { services, channel, arg, reply } = ctx;
    const admit = async (all: readonly ChannelWatch[]): Promise<void> => {
      // Rules of all channels are every moderator's.
      const ended = all.filter((watch) => watch.channel.id !== '');
      await demandSeen(ended, ctx);
      await demandChange(
        ended.map((watch) => watch.channel),
        ctx,
      );
    };
    const [id = '', place = 'panel'] = arg.split('/');
    const back = BACK[place];
    let restored: readonly ChannelWatch[];
    try {
      restored = await services.endedWatches.restore(channel.space, id, changer(ctx), admit);
    } catch (thrown) {
      const { key } = toAppError(thrown).sentence;
      if (key !== 'autotranslate.undone-already') throw thrown;
      const controls = back ? [button(ctx, back(''), 'settings.back')] : [];
      return reply({ text: ctx.t(key), controls });
    }
    await replyRestored(restored, 'autotranslate.restored', back, ctx);
  },
};

/** Sets a channel up as it was before a link replaced that, once the link is over. */
export const formerPress: Press = {
  guards: [moderator],
  async run(ctx) {
    const [own = '', id = '', place = ''] = ctx.arg.split('/');
    const channel = { space: ctx.channel.space, id: own };
    await demandChange([channel], ctx);
    const restored = await ctx.services.endedWatches.bringBack(channel, id, changer(ctx));
    const back = BACK[place];
    // Others read the notice, too.
    const said = back ? ctx : { ...ctx, ...(await ctx.forReaders()) };
    await replyRestored(restored, 'autotranslate.former-restored', back, said);
  },
};
